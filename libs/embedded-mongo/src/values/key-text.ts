import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson'
import type { Doc } from './values.ts'

/** A key as MongoDB's error messages write it: `{ email: "a@b", n: 1 }`. */
export function keyText(value: Doc): string {
  const fields = Object.keys(value).map(name => `${name}: ${valueText(value[name])}`)
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || value === undefined) return 'null'
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`
  if (value instanceof Date) return `new Date(${value.getTime()})`
  if (value instanceof Int32 || value instanceof Long) return value.toString()
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value)
  if (value instanceof Decimal128) return value.toString()
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`
  if (value instanceof Binary) return `BinData(${value.sub_type}, ${value.toString('hex').toUpperCase()})`
  if (Array.isArray(value)) return value.length > 0 ? `[ ${value.map(valueText).join(', ')} ]` : '[]'
  if (typeof value === 'object') return keyText(value as Doc)
  return String(value)
}
