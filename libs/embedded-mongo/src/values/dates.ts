import { fail } from './errors.ts'

const day = 86_400_000
const formatters = new Map<string, Intl.DateTimeFormat>()
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/** Refuses a date outside the range of dates here (±8.64e15 ms). */
export function checkedDate(date: Date): Date {
  return Number.isNaN(date.getTime()) ? fail(2, 'date value out of range') : date
}

/** Milliseconds by which local time in the zone is ahead of UTC at the given instant. Zones: an Olson name, `+05:30`, `+0530`, `+05`. */
function zoneOffset(zone: string, ms: number): number {
  if (zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0
  const fixed = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3] ?? 0)) * 60_000
  const fields = Object.fromEntries(
    formatter(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const local = Date.UTC(fields.year!, fields.month! - 1, fields.day, fields.hour! % 24, fields.minute, fields.second)
  return local - Math.floor(ms / 1000) * 1000
}

function formatter(zone: string): Intl.DateTimeFormat {
  const cached = formatters.get(zone)
  if (cached) return cached
  try {
    const made = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    })
    formatters.set(zone, made)
    return made
  } catch {
    return fail(40485, `unrecognized time zone identifier: "${zone}"`)
  }
}

/** A date whose UTC fields are the local ones of the zone. */
export function toLocal(date: Date, zone: string): Date {
  return checkedDate(new Date(date.getTime() + zoneOffset(zone, checkedDate(date).getTime())))
}

/** The instant that has the given local time in the zone. */
export function fromLocal(local: number, zone: string): Date {
  const guess = checkedDate(new Date(local)).getTime() - zoneOffset(zone, local)
  return checkedDate(new Date(local - zoneOffset(zone, guess)))
}

/** Day of the year, from 1. */
export function dayOfYear(d: Date): number {
  return Math.floor((d.getTime() - Date.UTC(d.getUTCFullYear(), 0, 1)) / day) + 1
}

/** Week of the year, weeks beginning on Sunday, days before the first Sunday in week 0. */
export function week(d: Date): number {
  return Math.floor((dayOfYear(d) + 6 - d.getUTCDay()) / 7)
}

/** ISO 8601 year and week: weeks begin on Monday, week 1 holds the year's first Thursday. */
export function isoWeek(d: Date): { year: number; week: number } {
  const thursday = new Date(d.getTime() + (4 - (d.getUTCDay() || 7)) * day)
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}

/** The start of an ISO week in UTC milliseconds. */
export function isoWeekStart(year: number, weekNumber: number): number {
  const fourth = new Date(Date.UTC(year, 0, 4))
  return fourth.getTime() - ((fourth.getUTCDay() || 7) - 1) * day + (weekNumber - 1) * 7 * day
}

const pad = (n: number, width: number) => String(n).padStart(width, '0')

/** The fields of `$dateToString` of a local date, by format specifier. */
const fields: Readonly<Record<string, (d: Date, offset: number) => string>> = {
  Y: d => pad(d.getUTCFullYear(), 4),
  m: d => pad(d.getUTCMonth() + 1, 2),
  d: d => pad(d.getUTCDate(), 2),
  H: d => pad(d.getUTCHours(), 2),
  M: d => pad(d.getUTCMinutes(), 2),
  S: d => pad(d.getUTCSeconds(), 2),
  L: d => pad(d.getUTCMilliseconds(), 3),
  j: d => pad(dayOfYear(d), 3),
  w: d => String(d.getUTCDay() + 1),
  u: d => String(d.getUTCDay() || 7),
  U: d => pad(week(d), 2),
  V: d => pad(isoWeek(d).week, 2),
  G: d => pad(isoWeek(d).year, 4),
  b: d => months[d.getUTCMonth()]!.slice(0, 3),
  B: d => months[d.getUTCMonth()]!,
  z: (_, offset) => `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 3_600_000), 2)}${pad((Math.abs(offset) / 60_000) % 60, 2)}`,
  Z: (_, offset) => `${offset < 0 ? '-' : '+'}${pad(Math.abs(offset) / 60_000, 3)}`,
  '%': () => '%',
}

/** Writes a date by a `$dateToString` format. */
export function formatDate(date: Date, format: string, zone: string): string {
  const local = toLocal(date, zone)
  const offset = zoneOffset(zone, date.getTime())
  return format.replace(/%(.?)/g, (_, specifier: string) => {
    if (!Object.hasOwn(fields, specifier)) fail(18536, `Invalid format character '%${specifier}' in format string`)
    return fields[specifier]!(local, offset)
  })
}

const isoForm = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|GMT|UTC|[+-]\d\d:?\d\d)?$/

/** Reads an ISO 8601 date; without an offset in the text it is local to the zone. Refuses with 241. */
export function parseDate(text: string, zone = 'UTC'): Date {
  const m = isoForm.exec(text.trim())
  if (!m) return fail(241, `Error parsing date string '${text}'`)
  const [, y, mo, d, h = 0, mi = 0, s = 0, fraction = '0', offset] = m
  return checked(text, Number(y), Number(mo), Number(d), Number(h), Number(mi), Number(s), Math.trunc(Number(`0.${fraction}`) * 1000), offset ?? zone)
}

function checked(text: string, y: number, mo: number, d: number, h: number, mi: number, s: number, ms: number, zone: string): Date {
  const local = Date.UTC(y, mo - 1, d, h, mi, s, ms)
  const back = new Date(local)
  if (back.getUTCMonth() !== mo - 1 || back.getUTCDate() !== d || h > 23 || mi > 59 || s > 59) fail(241, `Error parsing date string '${text}'`)
  return fromLocal(local, zone)
}

const patterns: Readonly<Record<string, string>> = {
  Y: '(?<Y>\\d{4})',
  m: '(?<m>\\d{1,2})',
  d: '(?<d>\\d{1,2})',
  H: '(?<H>\\d{1,2})',
  M: '(?<M>\\d{1,2})',
  S: '(?<S>\\d{1,2})',
  L: '(?<L>\\d{1,3})',
  j: '(?<j>\\d{1,3})',
  z: '(?<z>Z|[+-]\\d\\d:?\\d\\d)',
  B: '(?<B>[A-Za-z]+)',
  b: '(?<b>[A-Za-z]{3})',
  '%': '%',
}

/** Reads a date by a `$dateFromString` format. */
export function parseDateAs(text: string, format: string, zone: string): Date {
  const source = format.replace(/%(.?)|[.*+?^${}()|[\]\\]/g, (all, specifier: string | undefined) => {
    if (specifier === undefined) return `\\${all}`
    return Object.hasOwn(patterns, specifier) ? patterns[specifier]! : fail(18536, `Invalid format character '%${specifier}' in format string`)
  })
  const found = new RegExp(`^${source}$`).exec(text)?.groups
  if (!found) return fail(241, `Error parsing date string '${text}' with format '${format}'`)
  const name = (found.B ?? found.b)?.toLowerCase()
  const month = name ? months.findIndex(m => m.toLowerCase().startsWith(name)) + 1 : Number(found.m ?? 1)
  const n = (specifier: string, otherwise: number) => Number(found[specifier] ?? otherwise)
  const date = checked(text, n('Y', 1970), month, n('d', 1), n('H', 0), n('M', 0), n('S', 0), n('L', 0), found.z ?? zone)
  return found.j ? new Date(date.getTime() + (Number(found.j) - 1) * day) : date
}

export type Unit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond'

const unitMs = { week: 7 * day, day, hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 } as const
const unitMonths = { year: 12, quarter: 3, month: 1 } as const
export const units: readonly string[] = [...Object.keys(unitMonths), ...Object.keys(unitMs)]

/** Adds to a date; days and longer follow the zone's calendar, and a month's day is cut to its last. */
export function addToDate(date: Date, unit: Unit, amount: number, zone: string): Date {
  if (unit === 'hour' || unit === 'minute' || unit === 'second' || unit === 'millisecond')
    return checkedDate(new Date(date.getTime() + amount * unitMs[unit]))
  const local = toLocal(date, zone)
  if (unit === 'week' || unit === 'day') return fromLocal(local.getTime() + amount * unitMs[unit], zone)
  const monthIndex = local.getUTCFullYear() * 12 + local.getUTCMonth() + amount * unitMonths[unit]
  const last = new Date(Date.UTC(Math.floor(monthIndex / 12), (monthIndex % 12) + 1, 0)).getUTCDate()
  const start = Date.UTC(Math.floor(monthIndex / 12), ((monthIndex % 12) + 12) % 12, Math.min(local.getUTCDate(), last))
  return fromLocal(start + (((local.getTime() % day) + day) % day), zone)
}

/** The number of unit boundaries between two dates. */
export function dateDiff(start: Date, end: Date, unit: Unit, zone: string, startOfWeek: number): number {
  const index = (date: Date) => unitIndex(toLocal(date, zone), unit, startOfWeek)
  if (unit === 'hour' || unit === 'minute' || unit === 'second' || unit === 'millisecond')
    return Math.floor(end.getTime() / unitMs[unit]) - Math.floor(start.getTime() / unitMs[unit])
  return index(end) - index(start)
}

function unitIndex(local: Date, unit: Unit, startOfWeek: number): number {
  const monthIndex = local.getUTCFullYear() * 12 + local.getUTCMonth()
  if (unit === 'year' || unit === 'quarter' || unit === 'month') return Math.floor(monthIndex / unitMonths[unit])
  const days = Math.floor(local.getTime() / day)
  // Day 0 was a Thursday (4).
  return unit === 'week' ? Math.floor((days + 4 - startOfWeek) / 7) : Math.floor(local.getTime() / unitMs[unit])
}

/** The start of the bin of `size` units that holds the date; bins are counted from 2000-01-01 local time. */
export function truncateDate(date: Date, unit: Unit, size: number, zone: string, startOfWeek: number): Date {
  const local = toLocal(date, zone)
  const origin = new Date(Date.UTC(2000, 0, 1))
  if (unit === 'year' || unit === 'quarter' || unit === 'month') {
    const span = unitMonths[unit] * size
    const monthIndex = local.getUTCFullYear() * 12 + local.getUTCMonth() - 24_000
    const start = Math.floor(monthIndex / span) * span
    return fromLocal(Date.UTC(2000, start, 1), zone)
  }
  // The first week of the reference year begins on the first such weekday on or after 2000-01-01, a Saturday.
  const reference = unit === 'week' ? origin.getTime() + ((startOfWeek - 6 + 7) % 7) * day : origin.getTime()
  const span = unitMs[unit] * size
  return fromLocal(reference + Math.floor((local.getTime() - reference) / span) * span, zone)
}
