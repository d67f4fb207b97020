import type { NextDeadline } from '@carapace/api'

/** When the outcome of a command is first polled after it was sent, ms. */
export const pollAfterMs = 30_000
/** The longest pause between two polls, ms. */
export const longestMs = 5 * 60_000

/**
 * When the next poll is for what waits for the chain since then: first after 30 s, then after twice the pause before, 5 minutes at most.
 * @param firstMs the first pause; tests shorten it
 */
export function nextPollAt(since: Date, now: Date, firstMs: number = pollAfterMs): Date {
  const end = now.getTime()
  let at = since.getTime() + firstMs
  let pause = firstMs
  while (at <= end && pause < longestMs) {
    pause = Math.min(longestMs, pause * 2)
    at += pause
  }
  const lateMs = end - at
  return new Date(lateMs < 0 ? at : at + (Math.floor(lateMs / longestMs) + 1) * longestMs)
}

/**
 * When what the chain decided is handled again after the handler failed: it waits for this service, not for the chain, so each pause is the first one. What
 * has failed for 5 minutes is polled like the rest.
 */
export function nextRetryAt(since: Date, now: Date, firstMs: number = pollAfterMs): Date {
  const isYoung = now.getTime() - since.getTime() < longestMs
  return isYoung ? new Date(now.getTime() + firstMs) : nextPollAt(since, now, firstMs)
}

/** What a record shows of it that has waited for the chain since then. @example nextDeadline: isPending ? pollDeadline(payment.updatedAt, now) : null */
export const pollDeadline = (since: Date, now: Date): NonNullable<NextDeadline> => ({ at: nextPollAt(since, now).toISOString(), action: 'poll' })
