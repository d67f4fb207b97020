import { Int32 } from 'bson'
import { fail } from '../values/errors.ts'
import { compare, equal } from '../values/order.ts'
import { compileSort } from '../values/sort-docs.ts'
import { asDoc, asInteger, type Doc, fieldNames, getOwn, isDoc, isTruthy, setOwn, typeName } from '../values/values.ts'
import {
  type Box,
  checkVariableName,
  compareValues,
  fixed,
  integerArgument,
  named,
  namedArguments,
  nullish,
  type Operator,
  ranged,
  variadic,
  withVariable,
} from './core.ts'

export const arrayOperators: Readonly<Record<string, Operator>> = {
  $arrayElemAt: fixed('$arrayElemAt', 2, (v, at) => {
    if (nullish(v) || nullish(at)) return null
    const array = list(v, 28689, "$arrayElemAt's first argument must be an array")
    return array.at(integerArgument(at, 28691, "$arrayElemAt's second argument must be representable as a 32-bit integer"))
  }),
  $first: firstOrLast('$first', 0),
  $last: firstOrLast('$last', -1),
  $size: fixed('$size', 1, v => new Int32(list(v, 17124, 'The argument to $size must be an array').length)),
  $isArray: fixed('$isArray', 1, v => Array.isArray(v)),
  $in: fixed('$in', 2, (v, array) => list(array, 40081, '$in requires an array as a second argument').some(member => equal(member, v))),
  $indexOfArray: ranged('$indexOfArray', 2, 4, indexOf),
  $slice: ranged('$slice', 2, 3, slice),
  $concatArrays: variadic(values => (values.some(nullish) ? null : values.flatMap(v => list(v, 28664, '$concatArrays only supports arrays')))),
  $reverseArray: fixed('$reverseArray', 1, v => (nullish(v) ? null : list(v, 34435, 'The argument to $reverseArray must be an array').toReversed())),
  $range: ranged('$range', 2, 3, range),
  $map: (arg, compile, scope) => {
    const fields = namedArguments('$map', arg, ['input', 'in'], ['as'])
    const box: Box = { value: undefined }
    const input = compile(fields.input)
    const body = compile(fields.in, withVariable(scope, variableName(fields.as, 'this'), box))
    return root => {
      const v = input(root)
      if (nullish(v)) return null
      return list(v, 16883, 'input to $map must be an array').map(element => {
        box.value = element
        return body(root) ?? null
      })
    }
  },
  $filter: (arg, compile, scope) => {
    const fields = namedArguments('$filter', arg, ['input', 'cond'], ['as', 'limit'])
    const box: Box = { value: undefined }
    const input = compile(fields.input)
    const limit = compile(fields.limit)
    const test = compile(fields.cond, withVariable(scope, variableName(fields.as, 'this'), box))
    return root => {
      const v = input(root)
      if (nullish(v)) return null
      const most = limit(root)
      const passing = list(v, 28651, 'input to $filter must be an array').filter(element => {
        box.value = element
        return isTruthy(test(root))
      })
      return nullish(most) ? passing : passing.slice(0, positive(most, 327391, '$filter: limit must be a positive integer'))
    }
  },
  $reduce: (arg, compile, scope) => {
    const fields = namedArguments('$reduce', arg, ['input', 'initialValue', 'in'], [])
    const self: Box = { value: undefined }
    const value: Box = { value: undefined }
    const input = compile(fields.input)
    const initial = compile(fields.initialValue)
    const body = compile(fields.in, withVariable(withVariable(scope, 'this', self), 'value', value))
    return root => {
      const v = input(root)
      if (nullish(v)) return null
      let result = initial(root)
      for (const element of list(v, 40080, '$reduce requires that "input" be an array')) {
        self.value = element
        value.value = result
        result = body(root)
      }
      return result ?? null
    }
  },
  $zip: named('$zip', ['inputs'], ['useLongestLength', 'defaults'], zip),
  $arrayToObject: fixed('$arrayToObject', 1, arrayToObject),
  $objectToArray: fixed('$objectToArray', 1, v => {
    if (nullish(v)) return null
    const doc = asDoc(v) ?? fail(40390, `$objectToArray requires a document input, found: ${typeName(v)}`)
    return fieldNames(doc).map(key => ({ k: key, v: doc[key] }))
  }),
  $sortArray: (arg, compile) => {
    const fields = namedArguments('$sortArray', arg, ['input', 'sortBy'], [])
    const input = compile(fields.input)
    const order = elementOrder(fields.sortBy)
    return root => {
      const v = input(root)
      return nullish(v) ? null : list(v, 2942504, 'The input argument to $sortArray must be an array').toSorted(order)
    }
  },
  $firstN: named('$firstN', ['n', 'input'], [], ({ n, input }) =>
    list(input, 5788200, '$firstN requires an array').slice(0, positive(n, 5787902, "'n' must be greater than 0")),
  ),
  $lastN: named('$lastN', ['n', 'input'], [], ({ n, input }) =>
    list(input, 5788200, '$lastN requires an array').slice(-positive(n, 5787902, "'n' must be greater than 0")),
  ),
  $minN: named('$minN', ['n', 'input'], [], ({ n, input }) => extremes(n, input, 1)),
  $maxN: named('$maxN', ['n', 'input'], [], ({ n, input }) => extremes(n, input, -1)),
}

function list(v: unknown, code: number, message: string): unknown[] {
  return Array.isArray(v) ? v : fail(code, `${message}, but was of type: ${typeName(v)}`)
}

function variableName(as: unknown, otherwise: string): string {
  return as === undefined ? otherwise : checkVariableName(String(as))
}

function positive(v: unknown, code: number, message: string): number {
  const n = asInteger(v)
  return n === undefined || n <= 0 ? fail(code, message) : n
}

/** `$first` and `$last` of an array; in `$group` the accumulators of these names are used instead. */
function firstOrLast(name: string, at: number): Operator {
  return fixed(name, 1, v => (nullish(v) ? null : list(v, 28689, `${name}'s argument must be an array`).at(at)))
}

function indexOf(v: unknown, wanted: unknown, start: unknown, end: unknown): unknown {
  if (nullish(v)) return null
  const array = list(v, 40090, '$indexOfArray requires an array as a first argument')
  const from = start === undefined ? 0 : integerArgument(start, 40096, '$indexOfArray requires an integral starting index')
  const to = end === undefined ? array.length : integerArgument(end, 40096, '$indexOfArray requires an integral ending index')
  const index = array.slice(0, to).findIndex((member, i) => i >= from && equal(member, wanted))
  return new Int32(index)
}

function slice(v: unknown, a: unknown, b: unknown): unknown {
  if (nullish(v) || a === null) return null
  const array = list(v, 28724, 'First argument to $slice must be an array')
  const first = integerArgument(a, 28725, 'Second argument to $slice must be a numeric value')
  if (b === undefined) return first < 0 ? array.slice(first) : array.slice(0, first)
  if (b === null) return null
  const count = positive(b, 28729, 'Third argument to $slice must be positive')
  const from = first < 0 ? Math.max(array.length + first, 0) : first
  return array.slice(from, from + count)
}

const longestRange = 1_000_000

function range(start: unknown, end: unknown, step: unknown): Int32[] {
  const from = integerArgument(start, 34443, '$range requires a numeric starting value')
  const to = integerArgument(end, 34445, '$range requires a numeric ending value')
  const by = step === undefined ? 1 : integerArgument(step, 34447, '$range requires a numeric step value')
  if (by === 0) fail(34449, '$range requires a non-zero step value')
  if ((to - from) / by > longestRange) fail(146, `$range would use too much memory: more than ${longestRange} numbers`)
  const numbers: Int32[] = []
  for (let n = from; by > 0 ? n < to : n > to; n += by) numbers.push(new Int32(n))
  return numbers
}

function zip({ inputs, useLongestLength, defaults }: Doc): unknown {
  if (nullish(inputs)) return null
  const rows = list(inputs, 34461, 'inputs must be an array of expressions')
  if (rows.some(nullish)) return null
  const arrays = rows.map(row => list(row, 34468, '$zip found a non-array expression in input'))
  const fill = nullish(defaults) ? [] : list(defaults, 34462, 'defaults must be an array of expressions')
  const lengths = arrays.map(array => array.length)
  const length = isTruthy(useLongestLength) ? Math.max(0, ...lengths) : Math.min(...lengths)
  return Array.from({ length }, (_, i) => arrays.map((array, k) => (i < array.length ? array[i] : (fill[k] ?? null))))
}

function arrayToObject(v: unknown): unknown {
  if (nullish(v)) return null
  const doc: Doc = {}
  for (const entry of list(v, 40386, '$arrayToObject requires an array input')) {
    const pair = Array.isArray(entry)
      ? entry
      : isDoc(entry)
        ? [getOwn(entry, 'k'), getOwn(entry, 'v')]
        : fail(40398, `Unrecognised input type format for $arrayToObject: ${typeName(entry)}`)
    if (pair.length !== 2) fail(40397, '$arrayToObject requires an array of size 2 arrays')
    const key =
      typeof pair[0] === 'string'
        ? pair[0]
        : fail(
            40395,
            `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: ${typeName(pair[0])}`,
          )
    setOwn(doc, key, pair[1])
  }
  return doc
}

function elementOrder(spec: unknown): (a: unknown, b: unknown) => number {
  if (isDoc(spec)) {
    const order = compileSort(spec)
    return (a, b) => order(asDoc(a) ?? {}, asDoc(b) ?? {})
  }
  const direction = asInteger(spec)
  if (direction !== 1 && direction !== -1) return fail(2942507, 'The $sort element value must be either 1 or -1')
  return (a, b) => compareValues(a, b) * direction
}

function extremes(n: unknown, input: unknown, direction: 1 | -1): unknown[] {
  const values = list(input, 5788200, '$minN and $maxN require an array').filter(v => !nullish(v))
  return values.toSorted((a, b) => compare(a, b) * direction).slice(0, positive(n, 5787902, "'n' must be greater than 0"))
}
