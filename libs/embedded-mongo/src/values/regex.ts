import { BSONRegExp } from 'bson'
import { fail } from './errors.ts'

const maxLength = 32_764

/**
 * The JavaScript form of a MongoDB (PCRE) regular expression. Options i, m, s, x and u are understood, leading inline flags `(?i)` too.
 * @throws MongoError 51091 for what JavaScript cannot express, 51108 for an unknown option
 */
export function compileRegex(pattern: string, options: string): RegExp {
  if (pattern.length > maxLength) fail(51091, `Regular expression is invalid: longer than ${maxLength} characters`)
  if (pattern.includes('\0')) fail(2, 'Regular expression cannot contain an embedded null byte')
  const unknown = /[^imsxu]/.exec(options)
  if (unknown) fail(51108, `invalid flag in regex options: ${unknown[0]}`)
  const inline = /^\(\?([imsx]+)\)/.exec(pattern)
  const flags = new Set([...options, ...(inline?.[1] ?? '')])
  let source = (inline ? pattern.slice(inline[0].length) : pattern).replace(/\(\?P</g, '(?<')
  if (flags.has('x')) source = withoutFreeSpacing(source)
  const jsFlags = ['i', 'm', 's'].filter(flag => flags.has(flag)).join('')
  return tryCompile(source, `${jsFlags}u`) ?? tryCompile(source, jsFlags) ?? fail(51091, `Regular expression is invalid: ${pattern}`)
}

/** Pattern and options of a regular expression value, whichever of its two forms it came in; undefined for anything else. */
export function regexParts(v: unknown): { pattern: string; options: string } | undefined {
  if (v instanceof BSONRegExp) return { pattern: v.pattern, options: v.options }
  return v instanceof RegExp ? { pattern: v.source, options: v.flags.replace(/[^ims]/g, '') } : undefined
}

function tryCompile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined // unicode mode refuses escapes that PCRE allows, such as \- or \_
  }
}

/** PCRE's extended form: white space and comments count only when escaped or inside a class. */
function withoutFreeSpacing(source: string): string {
  return source.replace(/(\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\])|\s+|#[^\n]*/g, (_, literal: string | undefined) => literal ?? '')
}
