import { Binary, calculateObjectSize, Int32, Long, Timestamp } from 'bson'
import { fail } from '../values/errors.ts'
import { asDoc, asNumber, copyDoc, type Doc, getOwn, isDoc, isNumeric, setOwn, typeName } from '../values/values.ts'
import { accumulators } from './accumulators.ts'
import { fixed, named, namedArguments, nullish, type Operator, variadic } from './core.ts'

export const objectOperators: Readonly<Record<string, Operator>> = {
  $type: fixed('$type', 1, typeName),
  $isNumber: fixed('$isNumber', 1, isNumeric),
  $mergeObjects: variadic(values => {
    const merged = accumulators.$mergeObjects!()
    for (const v of values.length === 1 && Array.isArray(values[0]) ? values[0] : values) merged.add(v)
    return merged.result()
  }),
  $getField: (arg, compile) => {
    const fields = isDoc(arg) && Object.hasOwn(arg, 'field') ? namedArguments('$getField', arg, ['field'], ['input']) : { field: arg }
    const name = compile(fields.field)
    const input = compile(Object.hasOwn(fields, 'input') ? fields.input : '$$CURRENT')
    return root => {
      const doc = input(root)
      return nullish(doc) ? doc : getOwn(asDoc(doc) ?? {}, fieldName('$getField', name(root)))
    }
  },
  $setField: named('$setField', ['field', 'input', 'value'], [], ({ field, input, value }) => withField('$setField', field, input, value)),
  $unsetField: named('$unsetField', ['field', 'input'], [], ({ field, input }) => withField('$unsetField', field, input, undefined)),
  $bsonSize: fixed('$bsonSize', 1, v =>
    nullish(v)
      ? null
      : new Int32(
          calculateObjectSize(asDoc(v) ?? fail(31393, `$bsonSize requires a document input, found: ${typeName(v)}`), { ignoreUndefined: false }),
        ),
  ),
  $binarySize: fixed('$binarySize', 1, v => {
    if (nullish(v)) return null
    return new Int32(
      v instanceof Binary
        ? v.position
        : Buffer.byteLength(typeof v === 'string' ? v : fail(51276, `$binarySize requires a string or BinData argument, found: ${typeName(v)}`)),
    )
  }),
  $sampleRate: arg => {
    const rate = isNumeric(arg) ? asNumber(arg) : fail(14, 'argument to $sampleRate must be a numeric type')
    return () => Math.random() < rate
  },
  $tsSecond: fixed('$tsSecond', 1, v => (nullish(v) ? null : Long.fromNumber(timestamp(v, '$tsSecond').t))),
  $tsIncrement: fixed('$tsIncrement', 1, v => (nullish(v) ? null : Long.fromNumber(timestamp(v, '$tsIncrement').i))),
}

function fieldName(operator: string, v: unknown): string {
  return typeof v === 'string' ? v : fail(3041704, `${operator} requires 'field' to evaluate to type String, but got ${typeName(v)}`)
}

function withField(operator: string, field: unknown, input: unknown, value: unknown): unknown {
  if (nullish(input)) return null
  const copy: Doc = copyDoc(asDoc(input) ?? fail(4161105, `${operator} requires 'input' to evaluate to type Object`))
  const name = fieldName(operator, field)
  if (value === undefined) delete copy[name]
  else setOwn(copy, name, value)
  return copy
}

function timestamp(v: unknown, name: string): Timestamp {
  return v instanceof Timestamp ? v : fail(5687301, `${name} requires a timestamp argument, found: ${typeName(v)}`)
}
