import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, ConfirmChannel } from 'amqplib'
import { type BusLog, reasonOf } from '../bus.ts'
import { BusClosedError } from '../closed.ts'
import { settledWithin } from '../settled-within.ts'
import type { Connection } from './connection.ts'

const reopenMs = 100
/** A channel whose process hangs on the broker does not answer. */
const closeMs = 2_000

export interface LastingChannel {
  /** Settles with the first setup: rejects when the broker answered and refused it, or when this was closed first. */
  first: Promise<void>
  close(): Promise<void>
}

/**
 * A channel that is replaced whenever it ends: opens it (which waits for the connection), lets `use` set it up, waits for its end, opens the next, until closed.
 * `abandon` goes on to the next channel immediately, without the broker's answer.
 */
export function lastingChannel(
  connection: Connection,
  log: BusLog,
  use: (channel: ConfirmChannel, abandon: () => void) => Promise<void>,
): LastingChannel {
  const stop = new AbortController()
  let current: ConfirmChannel | undefined
  let settle = { resolve() {}, reject(_error: unknown) {} }
  const first = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  first.catch(() => {})

  async function useOne(): Promise<void> {
    const channel = await connection.openChannel()
    if (stop.signal.aborted) return closeChannel(channel)
    current = channel
    let abandon = () => {}
    const ended = new Promise<void>(resolve => {
      abandon = resolve
      channel.once('close', resolve)
    })
    await use(channel, abandon)
    settle.resolve()
    await ended
    void closeChannel(channel)
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await useOne()
      } catch (error) {
        if (stop.signal.aborted) return
        log.warn({ reason: reasonOf(error) }, 'a channel could not be set up')
        if (isRefusal(error)) settle.reject(error)
        if (current) void closeChannel(current)
      }
      current = undefined
      await sleep(reopenMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  void run()

  return {
    first,
    async close() {
      stop.abort()
      settle.reject(new BusClosedError())
      // Without a channel the loop may wait for a connection; closing that ends it.
      if (!current) return
      await settledWithin([closeChannel(current)], closeMs)
    },
  }
}

/** amqplib's own close() stays pending when the connection breaks before the broker has answered. */
export function closeChannel(channel: Channel): Promise<void> {
  return new Promise(resolve => {
    channel.once('close', resolve)
    // It throws when the channel is closed already, which is what was wanted.
    Promise.resolve()
      .then(() => channel.close())
      .then(resolve, () => resolve())
  })
}

/** AMQP reply codes 402 to 406: the broker answered and refused, a retry will not help. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code >= 402 && error.code <= 406
