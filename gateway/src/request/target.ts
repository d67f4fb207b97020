import { refuse } from '@carapace/api'

export interface Target {
  path: string
  /** With its `?`, or empty. */
  query: string
}

const maxLength = 4_096

/**
 * Path and query of a request line, as sent: what was matched is what the service gets.
 * @throws VALIDATION_ERROR for a target that is too long or cannot be decoded
 */
export function splitTarget(url: string): Target {
  const origin = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  const clean = origin.split('#', 1)[0] || '/'
  if (clean.length > maxLength) refuse('VALIDATION_ERROR', undefined, { message: `The address must be at most ${maxLength} characters` })
  if (!clean.startsWith('/') && !clean.startsWith('?')) refuse('ROUTE_NOT_FOUND')
  const mark = clean.indexOf('?')
  const path = (mark < 0 ? clean : clean.slice(0, mark)) || '/'
  if (!isDecodable(path)) refuse('VALIDATION_ERROR', undefined, { message: 'The path cannot be decoded' })
  return { path, query: mark < 0 ? '' : clean.slice(mark) }
}

/** Visible ASCII whose percent signs make up UTF-8. */
function isDecodable(path: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(path)) return false
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
