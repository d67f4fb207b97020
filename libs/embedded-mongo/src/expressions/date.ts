import { Int32, Long, ObjectId, Timestamp } from 'bson'
import {
  addToDate,
  checkedDate,
  dateDiff,
  dayOfYear,
  formatDate,
  fromLocal,
  isoWeek,
  isoWeekStart,
  parseDate,
  parseDateAs,
  toLocal,
  truncateDate,
  type Unit,
  units,
  week,
} from '../values/dates.ts'
import { fail, MongoError } from '../values/errors.ts'
import { asInteger, type Doc, isDoc, typeName } from '../values/values.ts'
import { integerArgument, named, nullish, type Operator } from './core.ts'

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export const dateOperators: Readonly<Record<string, Operator>> = {
  $year: part('$year', d => d.getUTCFullYear()),
  $month: part('$month', d => d.getUTCMonth() + 1),
  $dayOfMonth: part('$dayOfMonth', d => d.getUTCDate()),
  $dayOfWeek: part('$dayOfWeek', d => d.getUTCDay() + 1),
  $dayOfYear: part('$dayOfYear', dayOfYear),
  $hour: part('$hour', d => d.getUTCHours()),
  $minute: part('$minute', d => d.getUTCMinutes()),
  $second: part('$second', d => d.getUTCSeconds()),
  $millisecond: part('$millisecond', d => d.getUTCMilliseconds()),
  $week: part('$week', week),
  $isoWeek: part('$isoWeek', d => isoWeek(d).week),
  $isoWeekYear: part('$isoWeekYear', d => isoWeek(d).year),
  $isoDayOfWeek: part('$isoDayOfWeek', d => d.getUTCDay() || 7),
  $dateToString: named('$dateToString', ['date'], ['format', 'timezone', 'onNull'], ({ date, format, timezone, onNull }) => {
    if (nullish(date)) return onNull ?? null
    if (format === null || timezone === null) return null
    const layout =
      format === undefined
        ? `%Y-%m-%dT%H:%M:%S.%L${timezone === undefined ? 'Z' : ''}`
        : text(format, 18533, '$dateToString requires that format be a string')
    return formatDate(instant('$dateToString', date), layout, zoneOf(timezone))
  }),
  $dateFromString: named('$dateFromString', ['dateString'], ['format', 'timezone', 'onError', 'onNull'], dateFromString),
  $dateToParts: named('$dateToParts', ['date'], ['timezone', 'iso8601'], ({ date, timezone, iso8601 }) =>
    nullish(date) || timezone === null ? null : partsOf(toLocal(instant('$dateToParts', date), zoneOf(timezone)), iso8601 === true),
  ),
  $dateFromParts: named(
    '$dateFromParts',
    [],
    ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond', 'timezone', 'isoWeekYear', 'isoWeek', 'isoDayOfWeek'],
    dateFromParts,
  ),
  $dateAdd: named('$dateAdd', ['startDate', 'unit', 'amount'], ['timezone'], args => shifted('$dateAdd', args, 1)),
  $dateSubtract: named('$dateSubtract', ['startDate', 'unit', 'amount'], ['timezone'], args => shifted('$dateSubtract', args, -1)),
  $dateDiff: named(
    '$dateDiff',
    ['startDate', 'endDate', 'unit'],
    ['timezone', 'startOfWeek'],
    ({ startDate, endDate, unit, timezone, startOfWeek }) => {
      if (nullish(startDate) || nullish(endDate) || nullish(unit) || timezone === null) return null
      return Long.fromNumber(
        dateDiff(instant('$dateDiff', startDate), instant('$dateDiff', endDate), unitOf(unit), zoneOf(timezone), weekdayOf(startOfWeek)),
      )
    },
  ),
  $dateTrunc: named('$dateTrunc', ['date', 'unit'], ['binSize', 'timezone', 'startOfWeek'], ({ date, unit, binSize, timezone, startOfWeek }) => {
    if (nullish(date) || nullish(unit) || binSize === null || timezone === null) return null
    const size = binSize === undefined ? 1 : integerArgument(binSize, 5439017, '$dateTrunc requires binSize to be a 64-bit integer')
    if (size <= 0) fail(5439018, '$dateTrunc requires binSize to be greater than 0')
    return truncateDate(instant('$dateTrunc', date), unitOf(unit), size, zoneOf(timezone), weekdayOf(startOfWeek))
  }),
}

/** One field of a date, which is given bare or as `{date, timezone}`. */
function part(name: string, read: (local: Date) => number): Operator {
  return (arg, compile) => {
    const spec: Doc = isDoc(arg) && Object.hasOwn(arg, 'date') ? arg : { date: Array.isArray(arg) && arg.length === 1 ? arg[0] : arg }
    const date = compile(spec.date)
    const zone = compile(spec.timezone)
    return root => {
      const v = date(root)
      const timezone = zone(root)
      return nullish(v) || timezone === null ? null : new Int32(read(toLocal(instant(name, v), zoneOf(timezone))))
    }
  }
}

function instant(name: string, v: unknown): Date {
  if (v instanceof Date) return checkedDate(v)
  if (v instanceof ObjectId) return v.getTimestamp()
  if (v instanceof Timestamp) return new Date(v.t * 1000)
  return fail(16006, `${name} requires a date, but got ${typeName(v)}`)
}

function text(v: unknown, code: number, message: string): string {
  return typeof v === 'string' ? v : fail(code, `${message}, found: ${typeName(v)}`)
}

function zoneOf(v: unknown): string {
  return v === undefined ? 'UTC' : text(v, 40517, 'timezone must evaluate to a string')
}

function unitOf(v: unknown): Unit {
  const unit = text(v, 5439013, 'requires unit to be a string')
  return units.includes(unit) ? (unit as Unit) : fail(9, `unknown time unit value: ${unit}`)
}

function weekdayOf(v: unknown): number {
  if (v === undefined) return 0
  const name = text(v, 5439015, 'requires startOfWeek to be a string').toLowerCase()
  const index = weekdays.findIndex(weekday => name.startsWith(weekday))
  return index < 0 ? fail(9, `unknown day of week value: ${name}`) : index
}

function dateFromString({ dateString, format, timezone, onError, onNull }: Doc): unknown {
  if (nullish(dateString)) return onNull ?? null
  if (format === null || timezone === null) return null
  try {
    const source = text(dateString, 241, '$dateFromString requires that dateString be a string')
    return format === undefined
      ? parseDate(source, zoneOf(timezone))
      : parseDateAs(source, text(format, 40684, '$dateFromString requires that format be a string'), zoneOf(timezone))
  } catch (error) {
    if (error instanceof MongoError && error.code === 241 && onError !== undefined) return onError
    throw error
  }
}

function partsOf(d: Date, iso: boolean): Doc {
  const time = {
    hour: new Int32(d.getUTCHours()),
    minute: new Int32(d.getUTCMinutes()),
    second: new Int32(d.getUTCSeconds()),
    millisecond: new Int32(d.getUTCMilliseconds()),
  }
  if (iso)
    return { isoWeekYear: new Int32(isoWeek(d).year), isoWeek: new Int32(isoWeek(d).week), isoDayOfWeek: new Int32(d.getUTCDay() || 7), ...time }
  return { year: new Int32(d.getUTCFullYear()), month: new Int32(d.getUTCMonth() + 1), day: new Int32(d.getUTCDate()), ...time }
}

function dateFromParts(args: Doc): unknown {
  if (Object.values(args).some(v => v === null)) return null
  const n = (name: string, otherwise: number) =>
    args[name] === undefined
      ? otherwise
      : (asInteger(args[name]) ?? fail(40515, `'${name}' must evaluate to an integer, found ${typeName(args[name])}`))
  const time = ((n('hour', 0) * 60 + n('minute', 0)) * 60 + n('second', 0)) * 1000 + n('millisecond', 0)
  if (args.isoWeekYear !== undefined)
    return fromLocal(isoWeekStart(n('isoWeekYear', 1970), n('isoWeek', 1)) + (n('isoDayOfWeek', 1) - 1) * 86_400_000 + time, zoneOf(args.timezone))
  if (args.year === undefined) fail(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present")
  const start = new Date(0)
  start.setUTCFullYear(n('year', 1970), n('month', 1) - 1, n('day', 1))
  return fromLocal(start.getTime() + time, zoneOf(args.timezone))
}

function shifted(name: string, { startDate, unit, amount, timezone }: Doc, direction: 1 | -1): unknown {
  if (nullish(startDate) || nullish(unit) || nullish(amount) || timezone === null) return null
  const count = integerArgument(amount, 5166405, `${name} expects integer amount of time units`)
  return addToDate(instant(name, startDate), unitOf(unit), direction * count, zoneOf(timezone))
}
