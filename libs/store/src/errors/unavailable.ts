const names = /^Mongo(ose)?(ServerSelection|Network|NotConnected|TopologyClosed|PoolCleared|NetworkTimeout)/

/** A server that starts, ends or is no primary, by the codes of its answers. */
const codes: ReadonlySet<unknown> = new Set([91, 94, 189, 10107, 11600, 11602, 13435, 13436])

/** Whether the database could not be reached, or is no primary at present: the same may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return names.test(error.name) || (error.name.startsWith('MongoServer') && 'code' in error && codes.has(error.code))
}
