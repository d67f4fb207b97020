import type { RawHeaders } from '../request/headers.ts'

/** How far a client is into a limit. */
export interface Standing {
  /** Of the limit: `read`, `write`. */
  name: string
  limit: number
  remaining: number
  windowSeconds: number
  resetTime: Date
}

/** Seconds until the window ends, at least 1. */
export const secondsLeft = ({ resetTime }: Standing): number => Math.max(1, Math.ceil((resetTime.getTime() - Date.now()) / 1000))

/**
 * RateLimit and RateLimit-Policy of draft 8 for every limit that was counted, X-RateLimit-* for the last. Written from the limiter's figures
 * and not by the limiter, whose own headers cost more than its counting.
 */
export function rateHeaders(standings: readonly Standing[]): RawHeaders {
  const last = standings.at(-1)
  if (!last) return []
  return [
    'ratelimit',
    standings.map(standing => `"${standing.name}"; r=${standing.remaining}; t=${secondsLeft(standing)}`).join(', '),
    'ratelimit-policy',
    standings.map(({ name, limit, windowSeconds }) => `"${name}"; q=${limit}; w=${windowSeconds}`).join(', '),
    'x-ratelimit-limit',
    String(last.limit),
    'x-ratelimit-remaining',
    String(last.remaining),
    'x-ratelimit-reset',
    String(Math.ceil(last.resetTime.getTime() / 1000)),
  ]
}
