import { isRefusal } from './refusal.ts'

export interface RetryOptions {
  /** Attempts in all; 1: none is repeated. */
  tries?: number
  /** No attempt begins later than this after the first. */
  withinMs?: number
  /** The first pause, at least; each further one is twice as long. */
  firstPauseMs?: number
}

const longestPauseMs = 8_000
const defaults = { tries: 6, withinMs: 60_000, firstPauseMs: 250 }

/**
 * Repeats what may succeed later: no answer, 429, a refusal that the platform calls retryable. It waits as long as Retry-After says, else longer each
 * time, by chance, so that many agents do not come back in one moment.
 * @throws what the last attempt threw
 */
export async function retrying<T>(options: RetryOptions | undefined, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
  const { tries, withinMs, firstPauseMs } = { ...defaults, ...options }
  const end = Date.now() + withinMs
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRefusal(error) || !error.isRetryable || tried >= tries) throw error
      const longest = doubledPause(firstPauseMs, tried)
      const ownMs = longest * (0.5 + Math.random() / 2)
      const pauseMs = Math.max(error.retryAfterMs ?? 0, ownMs)
      if (Date.now() + pauseMs > end) throw error
      await pause(pauseMs, signal)
    }
  }
}

/** A pause, ms, that doubles with each failure. */
export const doubledPause = (firstMs: number, failures: number): number => Math.min(firstMs * 2 ** failures, longestPauseMs)

/** @throws the reason of the signal when that comes first */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
