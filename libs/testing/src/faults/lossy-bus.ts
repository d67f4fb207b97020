import type { CloudEvent } from '@carapace/api'
import type { Bus } from '@carapace/bus'

export interface LossyBus {
  wrap(bus: Bus): Bus
  /** Loses the next message that matches, or so many; resolves to nothing, `lost` counts. */
  lose(matches: (event: CloudEvent) => boolean, count?: number): void
  /** What was lost, in order. */
  readonly lost: readonly CloudEvent[]
}

/** A bus that confirms a message and loses it, as one does whose queue was not there. */
export function lossyBus(): LossyBus {
  const wanted: { matches: (event: CloudEvent) => boolean; left: number }[] = []
  const lost: CloudEvent[] = []
  const isLost = (event: CloudEvent): boolean => {
    const loss = wanted.find(({ matches, left }) => left > 0 && matches(event))
    if (!loss) return false
    loss.left--
    lost.push(event)
    return true
  }
  return {
    lost,
    lose: (matches, count = 1) => void wanted.push({ matches, left: count }),
    wrap: bus => ({
      ...bus,
      publish: async messages => {
        const sent = messages.filter(({ event }) => !isLost(event))
        if (sent.length) await bus.publish(sent)
      },
    }),
  }
}
