import type { ConsumeMessage } from 'amqplib'

/** Acknowledgements of one channel. */
export interface Acks {
  /** It was handed out and is to be handled. */
  received(message: ConsumeMessage): void
  /** It was handled, or moved elsewhere. Resolves when the acknowledgement is on its way. */
  handled(message: ConsumeMessage): Promise<void>
}

interface Unacknowledged {
  message: ConsumeMessage
  isHandled: boolean
}

/**
 * Acknowledges together what was handled in one moment, as consumers do that write many events at a time: one acknowledgement covers all up to the oldest
 * that is still being handled, each that overtook it has its own. What a crash leaves unacknowledged is handed out again, which consumers bear.
 * @param ack answers the broker: this message only, or it and all that were handed out before
 */
export function gatheredAcks(ack: (message: ConsumeMessage, allUpTo: boolean) => unknown): Acks {
  /** By delivery tag, in the order in which they were handed out. */
  const open = new Map<number, Unacknowledged>()
  let flushed: Promise<void> | undefined

  function flush(): void {
    flushed = undefined
    let last: ConsumeMessage | undefined
    let isFirst = true
    for (const [tag, { message, isHandled }] of open) {
      isFirst &&= isHandled
      if (!isHandled) continue
      open.delete(tag)
      if (isFirst) last = message
      else ack(message, false)
    }
    if (last) ack(last, true)
  }

  return {
    received: message => void open.set(message.fields.deliveryTag, { message, isHandled: false }),
    handled: message => {
      const one = open.get(message.fields.deliveryTag)
      if (one) one.isHandled = true
      flushed ??= new Promise(resolve => setImmediate(resolve)).then(flush)
      return flushed
    },
  }
}
