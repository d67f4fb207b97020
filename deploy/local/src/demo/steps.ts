import { isRefusal } from '@carapace/client'

const patienceMs = 30_000

/** A transaction's hash for people. */
export const hash = (txHash: string | null) => txHash ?? 'not confirmed yet'
/** What is not there yet is waited for. */
export const orUndefined = (error: unknown) => (isRefusal(error, 'NOT_FOUND') ? undefined : Promise.reject(error))

/** Services receive each other's changes a moment later: a call that depends on one is retried. */
export async function again<T>(attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + patienceMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const mayPass = isRefusal(error, 'NOT_FOUND', 'INVALID_STATE', 'CONFLICT', 'INSUFFICIENT_VALIDATORS')
      if (!mayPass || Date.now() > end) throw error
    }
    await pause()
  }
}

/** @throws Error when it is not so within half a minute */
export async function until<T>(what: string, probe: () => Promise<T>): Promise<Exclude<T, undefined | false>> {
  const end = Date.now() + patienceMs
  while (Date.now() < end) {
    const found = await probe()
    if (found) return found as Exclude<T, undefined | false>
    await pause()
  }
  throw new Error(`not within ${patienceMs / 1000} s: ${what}`)
}

const pause = () => new Promise(resolve => setTimeout(resolve, 100))
