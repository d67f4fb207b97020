import { Refused } from './call.ts'

/** How long a step waits for what follows from it. */
const patienceMs = 90_000
const pauseMs = 700

/** Sends a call until it is answered with what is wanted; refusals for now are no end. */
export async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + patienceMs; ; ) {
    const found = await read().catch((error: unknown) => {
      if (error instanceof Refused && (error.retryable || error.status === 404)) return undefined
      throw error
    })
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`${what} is not there yet. Try the step again.`)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}
