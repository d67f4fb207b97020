import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, System } from '@carapace/testing'

/** The moment by which everything has to have come to its end; unknown while things go wrong on purpose. */
export interface Deadline {
  atMs: number
}

const pauseMs = 250
/** One call; a platform that does not answer at all must not hold a client up. */
const callMs = 20_000

/** Tries until `reached` gives something truthy; each try begins with `act`, whose failures are expected. @throws Error with the last one, after the deadline */
export async function persist<T>(
  what: string,
  deadline: Deadline,
  reached: () => Promise<T>,
  act: () => Promise<unknown> = async () => undefined,
): Promise<NonNullable<T>> {
  let last: unknown
  for (;;) {
    try {
      const found = await within(reached())
      if (found) return found
      await within(act())
      last = 'not so yet'
    } catch (error) {
      last = error
    }
    if (Date.now() > deadline.atMs)
      throw new Error(`${what}: not in time; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`, { cause: last })
    await sleep(pauseMs)
  }
}

/** A client that does as the documents say: the same key until the outcome is known. */
export interface Client {
  /** The body of a success. @throws Error with the answer: it may be tried again, with the same step */
  once(step: string, method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer['body']>
}

export function newClient(system: System): Client {
  const keys = new Map<string, string>()
  return {
    once: async (step, method, path, body, headers) => {
      const key = keys.get(step) ?? randomUUID()
      keys.set(step, key)
      const answer = await system.call(method, path, { body, headers: { ...headers, 'idempotency-key': key } })
      if (answer.status < 300) return answer.body
      // Refused for good: this call had no effect, and the next one is another.
      if (answer.status < 500 && !answer.body?.retryable) keys.delete(step)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    },
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController()
  const limit = sleep(callMs, undefined, { signal: late.signal }).then(() => Promise.reject(new Error(`no answer within ${callMs / 1000} s`)))
  limit.catch(() => undefined)
  return Promise.race([work, limit]).finally(() => late.abort())
}
