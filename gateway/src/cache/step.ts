import type { PipeCall } from '../proxy/pipe.ts'
import { copyInto } from './cached-answer.ts'
import type { MicroCache, Place, Written } from './micro-cache.ts'

/** What the cache has to do with a request that a service answers. */
export interface Caching {
  cache: MicroCache
  /** Of its answer; undefined where it is not stored. */
  place: Place | undefined
  /** What it may change; undefined for a read. */
  written: Written | undefined
}

/**
 * Sends a request to its service. Before a write is answered what it has changed is no longer stored: its writer reads its own writes. So it is when
 * there is no answer: the service may have done it all the same.
 */
export async function sendThroughCache({ cache, place, written }: Caching, send: (parts: Pick<PipeCall, 'copy' | 'onAnswer'>) => Promise<void>) {
  if (!written) return send(place ? { copy: copyInto(cache.fill(place)) } : {})
  const drop = () => cache.drop(written)
  try {
    await send({ onAnswer: drop })
  } catch (error) {
    drop()
    throw error
  }
}
