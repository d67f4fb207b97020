import { Int32, ObjectId } from 'bson'
import { selectionOf } from '../bson/decode.ts'
import { decodeFields } from '../bson/raw.ts'
import { fail } from '../values/errors.ts'
import { asNumber, type Doc, getOwn, isDoc, isNumeric } from '../values/values.ts'
import type { Collection } from './catalog.ts'
import { docKeyOf } from './keyspace.ts'

/**
 * A time series: each document has a time. Their `_id`s need not differ, so they are stored under numbers of their own, in insertion
 * order.
 */
export interface TimeSeries {
  timeField: string
  expireAfterSeconds: number | undefined
}

const fields = new Set(['timeField', 'metaField', 'granularity', 'bucketMaxSpanSeconds', 'bucketRoundingSeconds'])
/** The maximum span of one bucket of MongoDB, in seconds. Here there are no buckets, but clients read the value. */
const spans: Readonly<Record<string, number>> = { seconds: 3_600, minutes: 86_400, hours: 2_592_000 }

/** The options `timeseries` and `expireAfterSeconds` of `create`, checked and as `listCollections` shows them; empty without them. */
export function timeSeriesOptions({ timeseries, expireAfterSeconds }: Doc): Doc {
  if (timeseries === undefined) {
    if (expireAfterSeconds !== undefined) fail(115, "'expireAfterSeconds' is supported for time series only by this server")
    return {}
  }
  if (!isDoc(timeseries)) return fail(14, "BSON field 'create.timeseries' is the wrong type, expected type 'object'")
  for (const field of Object.keys(timeseries)) if (!fields.has(field)) fail(40415, `BSON field 'create.timeseries.${field}' is an unknown field.`)
  const { timeField, metaField, granularity, bucketMaxSpanSeconds } = timeseries
  if (typeof timeField !== 'string') return fail(40414, "BSON field 'create.timeseries.timeField' is missing but a required field")
  for (const field of [timeField, metaField])
    if (field !== undefined && (typeof field !== 'string' || field === '' || field === '_id' || field.includes('.') || field.startsWith('$')))
      fail(72, `'${String(field)}' cannot be the time or meta field of a time series`)
  if (timeField === metaField) fail(72, 'The time-series time field and meta field must be distinct')
  if (granularity !== undefined && !Object.hasOwn(spans, String(granularity)))
    fail(2, `Enumeration value '${String(granularity)}' for field 'create.timeseries.granularity' is not a valid value.`)
  const defaults =
    bucketMaxSpanSeconds === undefined ? { granularity: 'seconds', bucketMaxSpanSeconds: new Int32(spans[String(granularity ?? 'seconds')]!) } : {}
  const options: Doc = { timeseries: { ...defaults, ...timeseries } }
  if (expireAfterSeconds === undefined) return options
  if (!isNumeric(expireAfterSeconds) || !(asNumber(expireAfterSeconds) >= 0)) fail(72, "'expireAfterSeconds' must be a number that is not negative")
  return { expireAfterSeconds, ...options }
}

export function seriesFrom({ timeseries, expireAfterSeconds }: Doc): TimeSeries | undefined {
  if (!isDoc(timeseries)) return undefined
  return { timeField: String(timeseries.timeField), expireAfterSeconds: isNumeric(expireAfterSeconds) ? asNumber(expireAfterSeconds) : undefined }
}

/** A new key for a document of the series. Throws 2 for one without a time. */
export function measurementKey(collection: Pick<Collection, 'id'>, series: TimeSeries, raw: Buffer): Buffer {
  if (!timeOf(series, raw)) fail(2, `'${series.timeField}' must be present and contain a valid BSON UTC datetime value`)
  return docKeyOf(collection, new ObjectId()).key
}

export function timeOf({ timeField }: TimeSeries, raw: Buffer): Date | undefined {
  const time = getOwn(decodeFields(raw, selectionOf([timeField])), timeField)
  return time instanceof Date ? time : undefined
}
