/** Nothing was sent: no connection was made, or nobody accepted it. */
const unconnected = new Set(['CONNECTION_NOT_ACCEPTED', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])
/** Something may have been sent. The last two: the pool of an address that the service has left. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

/**
 * Whether a request that got no answer can be sent again on another connection: one that may be repeated after any broken connection, another write only
 * when no byte of it was sent.
 * @param error as undici or fetch threw it
 */
export function maySendAgain(mayRepeat: boolean, error: unknown): boolean {
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined)
  return code !== undefined && (unconnected.has(code) || (mayRepeat && broken.has(code)))
}

const codeOf = (error: unknown): string | undefined => (error instanceof Error && 'code' in error ? String(error.code) : undefined)

const pausesMs = [0, 25, 50, 100, 200]

/** Before the first, second, … try after the first one, ms. */
export const pauseBeforeTry = (failures: number): number => pausesMs[Math.min(failures, pausesMs.length - 1)]!
