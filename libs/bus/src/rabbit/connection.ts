import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib'
import { type BusLog, reasonOf } from '../bus.ts'
import { settledWithin } from '../settled-within.ts'

/** One connection that comes back by itself. */
export interface Connection {
  /** Waits for the connection. Errors of the channel end nothing but itself. */
  openChannel(): Promise<ConfirmChannel>
  /** Whether the broker accepts no messages at present (memory or disk alarm). */
  isBlocked(): boolean
  close(): Promise<void>
}

const heartbeatSeconds = 10
const connectMs = 10_000
const closeMs = 5_000

/** Opens a connection in the background; on loss it connects again after 50 ms to 2 s, for ever. `name` is what the operator sees. */
export function openConnection(url: string, name: string, log: BusLog): Connection {
  let isBlocked = false
  let current: ChannelModel | undefined
  const lost = new WeakSet<ChannelModel>()

  const connecting = connect(withHeartbeat(url), {
    timeout: connectMs,
    clientProperties: { connection_name: name },
    recovery: {
      initialDelay: 50,
      maxDelay: 2_000,
      waitForConnect: false,
      async setup(fresh: ChannelModel) {
        // amqplib itself listens only after setup; until then an 'error' would end the process.
        fresh.on('error', () => {})
        fresh.once('close', () => lost.add(fresh))
        current = fresh
      },
    },
  }).then(model => {
    model.on('connect', (fresh: ChannelModel) => {
      // One that was lost between setup and amqplib's own listeners would never be missed.
      if (lost.has(fresh)) return fresh.emit('close', new Error('Connection lost while it was set up'))
      log.info({ connection: name }, 'connected to the broker')
    })
    model.on('disconnect', error => {
      isBlocked = false
      log.warn({ connection: name, reason: reasonOf(error) }, 'lost the broker')
    })
    model.on('connect-failed', error => log.warn({ connection: name, reason: reasonOf(error) }, 'no connection to the broker'))
    model.on('error', () => {})
    model.on('blocked', reason => {
      isBlocked = true
      log.warn({ connection: name, reason }, 'the broker accepts no messages')
    })
    model.on('unblocked', () => {
      isBlocked = false
    })
    return model
  })

  return {
    async openChannel() {
      const channel = await (await connecting).createConfirmChannel()
      channel.on('error', error => log.warn({ connection: name, reason: reasonOf(error) }, 'a channel was closed by the broker'))
      return channel
    },
    isBlocked: () => isBlocked,
    async close() {
      const model = await connecting
      // amqplib's close() stays pending when the connection breaks before the broker has answered.
      const closed = new Promise<void>(resolve => {
        if (current && !lost.has(current)) current.once('close', resolve)
        else resolve()
      })
      await settledWithin([Promise.race([model.close(), closed])], closeMs)
    },
  }
}

function withHeartbeat(url: string): string {
  const target = new URL(url)
  if (!target.searchParams.has('heartbeat')) target.searchParams.set('heartbeat', String(heartbeatSeconds))
  return target.href
}
