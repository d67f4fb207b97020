import type { Bus, Handler, Outgoing } from '@carapace/bus'
import type { Addresses } from '@carapace/chain'
import { openDatabase } from '@carapace/store'
import { openCollections } from '../lane/collections.ts'
import { retiringPartsOf } from '../lane/keys/retiring-parts.ts'
import type { FailPoint } from '../lane/lane.ts'
import { runLane } from '../leader.ts'
import { openRpc } from '../rpc/open.ts'
import { connected, laneParts } from './kit.ts'
import { countableKinds } from './workload.ts'

/** A lane as a process of its own that kills itself (SIGKILL) at a given point; its bus is its parent. */
export interface LaneOrder {
  mongoUri: string
  database: string
  wsUrl: string
  addresses: Addresses
  batchSize: number
  /** Dies when it reaches this point for the n-th time, counted from when it consumes commands: what it finishes before belongs to an earlier lane. */
  die?: { at: FailPoint; hit: number }
  timings?: Record<string, number>
  key?: string
  retiringKey?: string
}
export type FromLane = { publish: number; messages: readonly Outgoing[] } | { ready: true } | { handled: number } | { refused: number }
export type ToLane =
  | { order: LaneOrder }
  | { published: number }
  | { deliver: number; event: Parameters<Handler>[0] }
  | { jump: number }
  | { stop: true }

/** The wall clock as this process sees it; timers and the monotonic clock run on, as when the time is set. */
let offsetMs = 0
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    super(given.length ? given[0] : RealDate.now() + offsetMs)
  }
  static override now = () => RealDate.now() + offsetMs
} as DateConstructor

const report = (message: FromLane) => process.send?.(message)

async function lead(order: LaneOrder): Promise<() => Promise<void>> {
  const waiting = new Map<number, () => void>()
  let handler: Handler | undefined
  let next = 1
  const bus: Bus = {
    inOrder: false,
    publish: messages =>
      new Promise(resolve => {
        const id = next++
        waiting.set(id, resolve)
        report({ publish: id, messages })
      }),
    subscribe: async (_queue, handle) => {
      handler = handle
      report({ ready: true })
      return {
        close: async () => {
          handler = undefined
        },
      }
    },
    declare: async () => {},
    waiting: async () => 0,
    deadLetters: async () => [],
    replay: async () => false,
    ready: () => true,
    close: async () => undefined,
  }
  process.on('message', (message: ToLane) => {
    if ('published' in message) {
      waiting.get(message.published)?.()
      waiting.delete(message.published)
    }
    if ('jump' in message) offsetMs += message.jump
    if ('deliver' in message) {
      const { deliver: id, event } = message
      const work = handler ? handler(event, { attempt: 1 }) : Promise.reject(new Error('not leading'))
      work.then(
        () => report({ handled: id }),
        () => report({ refused: id }),
      )
    }
  })

  const database = await openDatabase({ uri: order.mongoUri, name: order.database })
  const db = await openCollections(database)
  const rpc = openRpc({ url: order.wsUrl, timeoutMs: 2_000 })
  await connected(rpc)
  let hits = 0
  const failPoint = (point: FailPoint) => {
    if (handler && point === order.die?.at && ++hits >= order.die.hit) process.kill(process.pid, 'SIGKILL')
  }
  const devnet = { wsUrl: order.wsUrl, addresses: order.addresses }
  const keys = { ...(order.key ? { key: order.key } : {}), ...(order.retiringKey ? { retiringKey: order.retiringKey } : {}) }
  const options = { ...keys, commandOf: countableKinds, batchSize: order.batchSize, failPoint, ...(order.timings ? { timings: order.timings } : {}) }
  const parts = await laneParts({ chain: 'BASE_SEPOLIA', devnet, db, bus, rpc }, options)
  const former = retiringPartsOf(parts)
  const lanes = [...(former ? [former] : []), parts].map(one => runLane(one, bus))
  return async () => {
    await Promise.all(lanes.map(lane => lane.close()))
    await rpc.close()
    await database.close()
  }
}

process.on('message', (message: ToLane) => {
  if (!('order' in message)) return
  lead(message.order).then(
    close => {
      const end = () => {
        void close().finally(() => process.exit(0))
      }
      process.once('SIGTERM', end)
      process.on('message', (later: ToLane) => ('stop' in later ? end() : undefined))
    },
    () => process.exit(1),
  )
})
process.once('disconnect', () => process.exit(0))
