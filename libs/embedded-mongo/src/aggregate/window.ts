import { Int32 } from 'bson'
import { type Expr, namedArguments, nullish, type Scope } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import { withValueAt } from '../values/doc-path.ts'
import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { compare } from '../values/order.ts'
import { compareSorted, parseSort, type SortKey, sortValues } from '../values/sort-keys.ts'
import { asInteger, asNumber, type Doc, fieldNames, isDoc, isNumeric, typeName } from '../values/values.ts'
import { compileGatherer, type NewGatherer } from './group.ts'
import { pushAll, type Stage, type StageContext } from './sink.ts'
import { boundsOf, type Window } from './window-bounds.ts'

/** The documents of one partition in their order, with what they are sorted by. */
export interface Partition {
  docs: Doc[]
  by: unknown[][]
}

/** Gives each document of a partition its value. */
type WindowFunction = (partition: Partition) => unknown[]

const refused = new Set(['$derivative', '$integral', '$expMovingAvg', '$covariancePop', '$covarianceSamp', '$minMaxScaler', '$median', '$percentile'])
/** Accumulators whose returned result never changes later. */
const running = new Set(['$sum', '$avg', '$min', '$max', '$count', '$first', '$last', '$stdDevPop', '$stdDevSamp'])

/** `$setWindowFields`. */
export function windowStage(arg: unknown, { scope }: StageContext): Stage {
  const spec = namedArguments('$setWindowFields', arg, ['output'], ['partitionBy', 'sortBy'])
  const partitionBy = spec.partitionBy === undefined ? () => null : compileExpression(spec.partitionBy, scope)
  const keys = parseSort(spec.sortBy === undefined ? undefined : isDoc(spec.sortBy) ? spec.sortBy : fail(14, 'sortBy must be an object'))
  const output = isDoc(spec.output) ? spec.output : fail(14, 'output must be an object')
  const outputs = fieldNames(output).map(path => ({ path, values: windowFunction(path, output[path], keys, scope) }))
  return next => {
    const docs: Doc[] = []
    return {
      push: doc => {
        docs.push(doc)
        return true
      },
      end: () => pushAll(inWindows(docs, partitionBy, keys, outputs), next),
    }
  }
}

function* inWindows(docs: Doc[], by: Expr, keys: readonly SortKey[], outputs: { path: string; values: WindowFunction }[]): Generator<Doc> {
  for (const partition of partitions(docs, by, keys)) {
    const columns = outputs.map(({ values }) => values(partition))
    for (const [i, doc] of partition.docs.entries()) yield outputs.reduce((made, { path }, k) => withValueAt(made, path, columns[k]![i]), doc)
  }
}

/** The documents by the value of an expression, in the order of these values, and sorted within. */
export function partitions(docs: readonly Doc[], by: Expr, keys: readonly SortKey[]): Partition[] {
  const groups = new Map<unknown, { value: unknown; rows: { doc: Doc; by: unknown[] }[] }>()
  for (const doc of docs) {
    const value = by(doc) ?? null
    if (Array.isArray(value)) fail(14, 'An expression used to partition cannot evaluate to value of type array')
    const key = identity(value)
    const group = groups.get(key) ?? { value, rows: [] }
    groups.set(key, group)
    group.rows.push({ doc, by: sortValues(doc, keys) })
  }
  return [...groups.values()]
    .sort((a, b) => compare(a.value, b.value))
    .map(({ rows }) => {
      rows.sort((a, b) => compareSorted(a.by, b.by, keys))
      return { docs: rows.map(({ doc }) => doc), by: rows.map(row => row.by) }
    })
}

function windowFunction(path: string, output: unknown, keys: readonly SortKey[], scope: Scope): WindowFunction {
  const spec = isDoc(output) ? output : fail(9, `The field '${path}' must be an object that specifies a window function`)
  const { window, ...rest } = spec
  const [name = '', other] = Object.keys(rest)
  if (other !== undefined) fail(9, `The field '${path}' must specify one window function, found '${name}' and '${other}'`)
  if (refused.has(name)) fail(115, `${name} is not supported by this engine`)
  if (Object.hasOwn(ordered, name)) {
    if (window !== undefined) fail(5371601, `${name} does not accept a 'window' field`)
    if (keys.length === 0) fail(5371602, `${name} must be specified with a top level sortBy expression`)
    return ordered[name]!(rest[name], scope)
  }
  return overWindow(compileGatherer(path, rest, scope), boundsOf(window, keys), running.has(name))
}

function overWindow(make: NewGatherer, window: Window, isRunning: boolean): WindowFunction {
  return partition => {
    const ends = partition.docs.map((_, i) => window(partition, i))
    if (isRunning && ends.every(([from]) => from === 0)) return growing(make, partition, ends)
    return ends.map(([from, to]) => {
      const gatherer = make()
      for (let i = from; i < to; i++) gatherer.add(partition.docs[i]!)
      return gatherer.result()
    })
  }
}

/** Windows that begin at the first document only grow. */
function growing(make: NewGatherer, { docs }: Partition, ends: readonly (readonly [number, number])[]): unknown[] {
  const gatherer = make()
  let added = 0
  return ends.map(([, to]) => {
    for (; added < to; added++) gatherer.add(docs[added]!)
    return gatherer.result()
  })
}

/** Window functions that depend on the order, not on a window. */
const ordered: Readonly<Record<string, (arg: unknown, scope: Scope) => WindowFunction>> = {
  $documentNumber:
    () =>
    ({ docs }) =>
      docs.map((_, i) => new Int32(i + 1)),
  $rank:
    () =>
    ({ by }) =>
      ranks(by, false),
  $denseRank:
    () =>
    ({ by }) =>
      ranks(by, true),
  $shift: (arg, scope) => {
    const spec = namedArguments('$shift', arg, ['output', 'by'], ['default'])
    const output = compileExpression(spec.output, scope)
    const offset = asInteger(spec.by) ?? fail(9, "'$shift:by' field must be an integer")
    const otherwise = spec.default === undefined ? null : compileExpression(spec.default, scope)({})
    return ({ docs }) => docs.map((_, i) => (docs[i + offset] ? (output(docs[i + offset]!) ?? null) : otherwise))
  },
  $locf: (arg, scope) => {
    const value = compileExpression(arg, scope)
    return ({ docs }) => carried(docs.map(doc => value(doc) ?? null))
  },
  $linearFill: (arg, scope) => {
    const value = compileExpression(arg, scope)
    return ({ docs, by }) =>
      interpolated(
        docs.map(doc => value(doc) ?? null),
        by.map(([first]) => first),
      )
  },
}

function ranks(by: readonly unknown[][], isDense: boolean): Int32[] {
  let rank = 0
  return by.map((values, i) => {
    const isSame = i > 0 && values.every((value, k) => compare(value, by[i - 1]![k]) === 0)
    if (!isSame) rank = isDense ? rank + 1 : i + 1
    return new Int32(rank)
  })
}

/** The last value that was there. */
function carried(values: readonly unknown[]): unknown[] {
  let last: unknown = null
  return values.map(value => {
    if (!nullish(value)) last = value
    return last
  })
}

/** Missing values on the line between those around them; at the ends they stay missing. */
function interpolated(values: readonly unknown[], at: readonly unknown[]): unknown[] {
  const places = at.map(place =>
    place instanceof Date
      ? place.getTime()
      : isNumeric(place)
        ? asNumber(place)
        : fail(14, `$linearFill needs numbers or dates to sort by, found ${typeName(place)}`),
  )
  const filled = [...values]
  let from = -1
  values.forEach((value, to) => {
    if (nullish(value)) return
    if (!isNumeric(value)) fail(14, `Value to be filled must be numeric or nullish, found ${typeName(value)}`)
    if (from >= 0) {
      const [low, high] = [asNumber(values[from] as Int32), asNumber(value as Int32)]
      for (let i = from + 1; i < to; i++) filled[i] = low + ((high - low) * (places[i]! - places[from]!)) / (places[to]! - places[from]!)
    }
    from = to
  })
  return filled
}
