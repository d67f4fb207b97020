import { BSONSymbol, Int32 } from 'bson'
import { fail } from '../values/errors.ts'
import { compileRegex, type Regex, type RegexMatch, regexParts } from '../values/regex.ts'
import { asInteger, type Doc, typeName } from '../values/values.ts'
import { toText } from './convert.ts'
import { fixed, named, nullish, type Operator, ranged, variadic } from './core.ts'

export const stringOperators: Readonly<Record<string, Operator>> = {
  $concat: variadic(values => (values.some(nullish) ? null : values.map(v => text(v, 16702, '$concat only supports strings')).join(''))),
  $toLower: fixed('$toLower', 1, v => coerced(v).toLowerCase()),
  $toUpper: fixed('$toUpper', 1, v => coerced(v).toUpperCase()),
  $strcasecmp: fixed('$strcasecmp', 2, (a, b) => {
    const [x, y] = [coerced(a).toUpperCase(), coerced(b).toUpperCase()]
    return new Int32(x < y ? -1 : x > y ? 1 : 0)
  }),
  $strLenBytes: fixed('$strLenBytes', 1, v => new Int32(Buffer.byteLength(text(v, 34473, '$strLenBytes requires a string argument')))),
  $strLenCP: fixed('$strLenCP', 1, v => new Int32([...text(v, 34471, '$strLenCP requires a string argument')].length)),
  $substr: fixed('$substr', 3, substringBytes),
  $substrBytes: fixed('$substrBytes', 3, substringBytes),
  $substrCP: fixed('$substrCP', 3, (v, start, count) => {
    const from = bound(start, 34450, '$substrCP: starting index must be a non-negative integral type')
    return [...coerced(v)].slice(from, from + bound(count, 34452, '$substrCP: length must be a non-negative integral type')).join('')
  }),
  $split: fixed('$split', 2, (v, separator) => {
    if (nullish(v) || nullish(separator)) return null
    const by = text(separator, 40086, '$split requires an expression that evaluates to a string as a second argument')
    if (by === '') fail(40087, '$split requires a non-empty separator')
    return text(v, 40085, '$split requires an expression that evaluates to a string as a first argument').split(by)
  }),
  $trim: trim('$trim', true, true),
  $ltrim: trim('$ltrim', true, false),
  $rtrim: trim('$rtrim', false, true),
  $indexOfBytes: ranged('$indexOfBytes', 2, 4, (v, part, start, end) =>
    indexOf('$indexOfBytes', v, part, start, end, s => [...Buffer.from(s)].map(b => String.fromCharCode(b))),
  ),
  $indexOfCP: ranged('$indexOfCP', 2, 4, (v, part, start, end) => indexOf('$indexOfCP', v, part, start, end, s => [...s])),
  $replaceOne: named('$replaceOne', ['input', 'find', 'replacement'], [], args =>
    replace('$replaceOne', args, (s, find, by) => s.replace(find, () => by)),
  ),
  $replaceAll: named('$replaceAll', ['input', 'find', 'replacement'], [], args =>
    replace('$replaceAll', args, (s, find, by) => s.replaceAll(find, () => by)),
  ),
  $regexMatch: named('$regexMatch', ['input', 'regex'], ['options'], args => regexOver('$regexMatch', args, false, (regex, s) => regex.test(s))),
  $regexFind: named('$regexFind', ['input', 'regex'], ['options'], args =>
    regexOver<Doc | null>('$regexFind', args, null, (regex, s) => {
      const match = regex.find(s)
      return match ? shown(s, match) : null
    }),
  ),
  $regexFindAll: named('$regexFindAll', ['input', 'regex'], ['options'], args =>
    regexOver<Doc[]>('$regexFindAll', args, [], (regex, s) => regex.findAll(s).map(match => shown(s, match))),
  ),
}

function text(v: unknown, code: number, message: string): string {
  if (typeof v === 'string') return v
  return v instanceof BSONSymbol ? v.value : fail(code, `${message}, not ${typeName(v)}`)
}

/** The text that case and substring operators see: null is empty, numbers and dates are written out. */
function coerced(v: unknown): string {
  return nullish(v) ? '' : (toText(v) ?? fail(16007, `can't convert from BSON type ${typeName(v)} to String`))
}

function bound(v: unknown, code: number, message: string): number {
  const n = asInteger(v)
  return n === undefined || n < 0 ? fail(code, `${message} (found ${typeName(v)})`) : n
}

function substringBytes(v: unknown, start: unknown, count: unknown): string {
  const bytes = Buffer.from(coerced(v))
  const from = asInteger(start) ?? fail(16034, `$substrBytes:  starting index must be a numeric type (is BSON type ${typeName(start)})`)
  const length = asInteger(count) ?? fail(16035, `$substrBytes:  length must be a numeric type (is BSON type ${typeName(count)})`)
  if (from < 0) fail(50752, '$substrBytes:  starting index must be non-negative')
  const end = length < 0 ? bytes.length : Math.min(from + length, bytes.length)
  const splitsCharacter = (at: number) => at < bytes.length && (bytes[at]! & 0xc0) === 0x80
  if (splitsCharacter(from)) fail(28656, '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.')
  if (splitsCharacter(end)) fail(28657, '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.')
  return bytes.toString('utf8', Math.min(from, end), end)
}

function trim(name: string, left: boolean, right: boolean): Operator {
  return named(name, ['input'], ['chars'], ({ input, chars }) => {
    if (nullish(input)) return null
    const characters = [...text(input, 50699, `${name} requires its input to be a string`)]
    if (chars === null) return null
    const wanted = chars === undefined ? undefined : new Set(text(chars, 50700, `${name} requires 'chars' to be a string`))
    const drops = (c: string | undefined) => c !== undefined && (wanted ? wanted.has(c) : /[\s\0]/.test(c))
    let from = 0
    let to = characters.length
    while (left && from < to && drops(characters[from])) from++
    while (right && to > from && drops(characters[to - 1])) to--
    return characters.slice(from, to).join('')
  })
}

function indexOf(name: string, v: unknown, part: unknown, start: unknown, end: unknown, units: (s: string) => string[]): unknown {
  if (nullish(v)) return null
  const all = units(text(v, 40091, `${name} requires a string as the first argument`))
  const wanted = units(text(part, 40092, `${name} requires a string as the second argument`))
  const from = nullish(start) ? 0 : bound(start, 40097, `${name} requires a nonnegative starting index`)
  const to = Math.min(nullish(end) ? all.length : bound(end, 40097, `${name} requires a nonnegative ending index`), all.length)
  for (let i = from; i + wanted.length <= to; i++) if (wanted.every((unit, k) => all[i + k] === unit)) return new Int32(i)
  return new Int32(-1)
}

function replace(name: string, { input, find, replacement }: Doc, apply: (s: string, find: string, by: string) => string): unknown {
  const [s, part, by] = [input, find, replacement].map((v, i) =>
    nullish(v) ? null : text(v, 51746 - i, `${name} requires that '${['input', 'find', 'replacement'][i]}' be a string`),
  )
  return s === null || part === null || by === null ? null : apply(s!, part!, by!)
}

function regexOver<R>(name: string, { input, regex, options }: Doc, nothing: R, use: (regex: Regex, subject: string) => R): R {
  if (nullish(input) || nullish(regex)) return nothing
  const subject = text(input, 51104, `${name} needs 'input' to be of type string`)
  const parts = regexParts(regex)
  const pattern = parts?.pattern ?? text(regex, 51105, `${name} needs 'regex' to be of type string or regex`)
  const flags = nullish(options) ? (parts?.options ?? '') : text(options, 51106, `${name} needs 'options' to be of type string`)
  return use(compileRegex(pattern, flags), subject)
}

function shown(subject: string, { text: match, index, captures }: RegexMatch): Doc {
  return { match, idx: new Int32([...subject.slice(0, index)].length), captures }
}
