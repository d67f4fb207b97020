import { limits, Refusal } from '@carapace/api'
import { openCounts } from '@carapace/service'

/** A stream that counts. */
export interface OpenStream {
  /** Aborted when its reader disconnects, or the gateway ends. */
  signal: AbortSignal
  leave(): void
}

export interface OpenStreams {
  /** @param reader an agent, or an address @throws RATE_LIMITED when it, or this process, has as many streams as it may have */
  enter(reader: string, disconnected: AbortSignal): OpenStream
  /** Ends them all: the server could not close otherwise. */
  close(): void
}

/** The streams of A2A that this process has open. Each reads the database again and again. */
export function openStreams(): OpenStreams {
  const counts = openCounts()
  const endings = new Set<AbortController>()
  return {
    enter: (reader, disconnected) => {
      const [own, all] = [counts.of(reader), counts.total()]
      if (own >= limits.tasks.streams) throw new Refusal('RATE_LIMITED', { message: `${own} streams of this reader are open` })
      if (all >= limits.tasks.perProcess) throw new Refusal('RATE_LIMITED', { message: 'No further stream can be opened here' })
      const ending = new AbortController()
      const end = () => ending.abort()
      if (disconnected.aborted) end()
      disconnected.addEventListener('abort', end, { once: true })
      endings.add(ending)
      const uncount = counts.enter(reader)
      const leave = () => {
        uncount()
        endings.delete(ending)
      }
      return { signal: ending.signal, leave }
    },
    close: () => {
      for (const ending of endings) ending.abort()
    },
  }
}
