import { BSONRegExp } from 'bson'
import { busyTime } from './busy-time.ts'
import { fail } from './errors.ts'
import { type Code, MatchLimitError, maxSubject, pcre2 } from './pcre2.ts'

const maxLength = 32_764
const maxCompiled = 64
/** CPU time of slow matches in a row: one document may have many values, each of which needs almost as long as one match may. */
const longestBusyMs = 1_000
/** UTF-16 units that one `findAll` may read: PCRE2 checks the rest of the subject at each match. */
const maxFindAllUnits = 1_000_000_000

/** A match: the text, where it begins in UTF-16 units, and its captures (null: not set). */
export type RegexMatch = { text: string; index: number; captures: (string | null)[] }

/** A compiled MongoDB (PCRE2) regular expression. */
export type Regex = {
  /** @throws MongoError 51156 when the match exceeds its limit */
  test: (subject: string) => boolean
  /** The first match. @throws MongoError 51156 */
  find: (subject: string) => RegexMatch | undefined
  /** All matches from left to right. @throws MongoError 51156 */
  findAll: (subject: string) => RegexMatch[]
}

/**
 * Compiles a regular expression. Options are i, m, s, x and u (which is always on).
 * @throws MongoError 51091 for what PCRE2 refuses, 51108 for an unknown option
 */
export function compileRegex(pattern: string, options: string): Regex {
  if (pattern.length > maxLength) fail(51091, `Regular expression is invalid: longer than ${maxLength} characters`)
  if (pattern.includes('\0')) fail(2, 'Regular expression cannot contain an embedded null byte')
  const unknown = /[^imsxu]/.exec(options)
  if (unknown) fail(51108, `invalid flag in regex options: ${unknown[0]}`)
  const flags = ['i', 'm', 's', 'x'].filter(flag => options.includes(flag)).join('')
  const match = limited((subject, from) => pcre2().match(compiled(pattern, flags), subject, from))
  const test = literalTest(pattern, flags)
  if (!test) inTime(() => compiled(pattern, flags)) // refuses a pattern that is none; a plain text is always one
  return {
    test: test ?? (subject => match(subject, 0) !== undefined),
    find: subject => {
      const offsets = match(subject, 0)
      return offsets && matchAt(subject, offsets)
    },
    findAll: subject => findAll(subject, match),
  }
}

/** Pattern and options of a regular expression value, whichever of its two forms it came in; undefined for anything else. */
export function regexParts(v: unknown): { pattern: string; options: string } | undefined {
  if (v instanceof BSONRegExp) return { pattern: v.pattern, options: v.options }
  return v instanceof RegExp ? { pattern: v.source, options: v.flags.replace(/[^ims]/g, '') } : undefined
}

type Match = (subject: string, from: number) => Int32Array | undefined

// Compiled patterns in the order of their last use. They live in the module's memory, which does not collect garbage.
const compiledPatterns = new Map<string, Code>()

function compiled(pattern: string, flags: string): Code {
  const key = `${flags}/${pattern}`
  const cached = compiledPatterns.get(key)
  compiledPatterns.delete(key)
  if (!cached && compiledPatterns.size >= maxCompiled) freeOldest()
  const code = cached ?? compileWithRoom(pattern, flags)
  compiledPatterns.set(key, code)
  return code
}

function compileWithRoom(pattern: string, flags: string): Code {
  try {
    return withRoom(() => pcre2().compile(pattern, flags))
  } catch (error) {
    fail(51091, `Regular expression is invalid: ${(error as Error).message}`)
  }
}

/** Does it again in an empty memory when there was none left. */
function withRoom<R>(use: () => R): R {
  try {
    return use()
  } catch (error) {
    if (!(error instanceof MatchLimitError && error.isOutOfMemory) || compiledPatterns.size === 0) throw error
    compiledPatterns.clear()
    pcre2().restart()
    return use()
  }
}

function freeOldest(): void {
  const [key, code] = compiledPatterns.entries().next().value!
  compiledPatterns.delete(key)
  pcre2().free(code)
}

const matching = busyTime(longestBusyMs)

function inTime<R>(work: () => R): R {
  if (matching.isOver()) fail(51156, `Regular expressions have matched for ${longestBusyMs} ms without a pause`)
  return matching.spend(work)
}

function limited(match: Match): Match {
  return (subject, from) => {
    if (subject.length > maxSubject) fail(51156, `Regular expressions match strings of at most ${maxSubject} characters`)
    try {
      return inTime(() => withRoom(() => match(subject, from)))
    } catch (error) {
      if (!(error instanceof MatchLimitError)) throw error
      fail(51156, `Error occurred while executing the regular expression. Result code: ${error.code}`)
    }
  }
}

// A plain text, perhaps anchored at the start, means the same to JavaScript, which needs no copy of the subject.
const literal = /^\^?(?:[A-Za-z0-9 _@%,;:"'=&#~<>!/-]|\\[.\-/@+*?()[\]{}|$^])*$/

function literalTest(pattern: string, flags: string): ((subject: string) => boolean) | undefined {
  if (flags !== '' || !literal.test(pattern)) return undefined
  const text = pattern.replace(/^\^/, '').replace(/\\(.)/g, '$1')
  return pattern.startsWith('^') ? subject => subject.startsWith(text) : subject => subject.includes(text)
}

// As MongoDB: a match that is empty advances by one character, and an end that was reached is not tried again.
function findAll(subject: string, match: Match): RegexMatch[] {
  const found: RegexMatch[] = []
  let units = 0
  let from = 0
  do {
    units += subject.length - from
    if (units > maxFindAllUnits) fail(51156, 'Error occurred while executing the regular expression: too many matches in a long string')
    const offsets = match(subject, from)
    if (!offsets) break
    const next = matchAt(subject, offsets)
    const { text, index } = next
    found.push(next)
    const end = index + text.length
    from = text.length > 0 && end > from ? end : Math.max(end, from) + widthAt(subject, Math.max(end, from))
  } while (from < subject.length)
  return found
}

function matchAt(subject: string, offsets: Int32Array): RegexMatch {
  const parts: (string | null)[] = []
  for (let i = 0; i < offsets.length; i += 2) parts.push(offsets[i]! < 0 ? null : subject.slice(offsets[i], offsets[i + 1]))
  return { text: parts[0] ?? '', index: offsets[0]!, captures: parts.slice(1) }
}

function widthAt(subject: string, at: number): number {
  return (subject.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
