import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@carapace/bus'
import { afterwork } from './afterwork.ts'
import { cancelRequested } from './cancels.ts'
import { clockWatch } from './clock.ts'
import { gapFiller } from './gap.ts'
import { followHeads, type Heads, loadCursor } from './heads.ts'
import { headsEvents } from './heads-events.ts'
import { indexer } from './indexer.ts'
import { intake } from './intake.ts'
import type { Lane, LaneParts } from './lane.ts'
import { acquireLease, type Lease } from './lease.ts'
import { requireContracts } from './network.ts'
import { planPass } from './outbound.ts'
import { opQueue } from './queue.ts'
import { trim } from './reaper.ts'
import { reconcile } from './reconciler.ts'
import { recover, refill } from './recovery.ts'
import { RpcRefused, RpcUnavailable } from './rpc/rpc.ts'
import { runner, serially } from './runner.ts'
import { sender } from './sender.ts'
import { prepareLane } from './setup.ts'
import { slotTable } from './slots.ts'
import { sweepQueue } from './sweep.ts'

/** How long an ending lane waits for consumers of its last events. */
const drainMs = 10_000

export interface RunningLane {
  /** The lane while this process leads it. */
  current(): Lane | undefined
  /** Stops taking commands, lets what runs end, gives the lease back. */
  close(): Promise<void>
}

/** Leads the lane whenever the lease can be had; starts over with a recovery after any failure. */
export function runLane(parts: LaneParts, bus: Bus): RunningLane {
  let current: Lane | undefined
  const stop = new AbortController()
  const node: NodeNews = { ...silent }
  parts.rpc.onHead(header => node.head(header))
  parts.rpc.onConnect(() => node.connected())
  const over = lead()

  async function lead(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const lease = await acquireLease(parts.db.leases, parts.id, parts.timings)
        if (lease) await underLease(parts, bus, node, lease, stop.signal, lane => (current = lane))
      } catch (error) {
        parts.log.warn({ lane: parts.id, reason: String(error) }, 'the lane stands still')
      }
      current = undefined
      await sleep(parts.timings.leaseRetry, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }

  return {
    current: () => current,
    close: async () => {
      stop.abort()
      await over
    },
  }
}

/** Where the node's news go: to the lane that leads. */
interface NodeNews {
  head(header: unknown): void
  connected(): void
}
const silent: NodeNews = { head: () => {}, connected: () => {} }

async function underLease(parts: LaneParts, bus: Bus, node: NodeNews, lease: Lease, stop: AbortSignal, leading: (lane: Lane) => void): Promise<void> {
  const sends = sender()
  let end: (reason?: unknown) => void = () => {}
  const ended = new Promise<unknown>(resolve => {
    end = resolve
  })
  const onError = (error: unknown): number | undefined => {
    if (error instanceof RpcUnavailable || error instanceof RpcRefused) return parts.timings.resend
    end(error)
    return undefined
  }
  /** Nothing runs by itself before the recovery is through. */
  let recovered = false
  const loop = (work: () => Promise<number | undefined>) => runner(async () => (recovered ? work() : undefined), onError)
  const inOrder = serially()
  const fillGap = gapFiller()
  const clockJump = clockWatch()
  const after = afterwork(
    error => end(error),
    () => planning.wake(),
  )
  const lane: Lane = {
    ...parts,
    lease,
    queue: opQueue(),
    slots: slotTable(),
    after,
    found: [],
    head: { number: 0, hash: '', time: 0, baseFee: 0n, gasLimit: 30_000_000n },
    paused: undefined,
    wake: () => planning.wake(),
    send: nonces => {
      sends.enqueue(nonces)
      sending.wake()
    },
    doubt: () => reconciling.wake(),
    fail: reason => end(reason),
  }
  const planning = loop(async () => {
    if (lane.queue.overflow && lane.queue.size < 1_000) await refill(lane)
    return (await planPass(lane)) ? 0 : undefined
  })
  const sending = loop(async () => {
    const pause = await sends.pass(lane)
    lane.wake()
    return pause || undefined
  })
  let hint: unknown
  let heads: Heads
  const following = loop(async () => {
    const pushed = hint
    hint = undefined
    await inOrder(() => heads.advance(pushed))
    return undefined
  })
  const reconciling = loop(async () => {
    await inOrder(async () => {
      await heads.advance()
      await reconcile(lane, heads, fillGap)
      await cancelRequested(lane)
      await sweepQueue(lane)
    })
    return undefined
  })
  const saving = loop(async () => {
    await heads.save()
    return undefined
  })
  const timers = [
    setInterval(() => {
      lane.queue.shift(clockJump())
      lane.wake()
    }, lane.timings.tick),
    setInterval(() => following.wake(), lane.network.blockMs),
    setInterval(() => reconciling.wake(), lane.timings.reconcile),
    setInterval(() => saving.wake(), lane.timings.cursorSave),
    setInterval(() => void inOrder(() => trim(lane)).catch(onError), 3_600_000),
  ]
  let consumer: { close(): Promise<void> } | undefined
  try {
    await requireContracts(lane.network, lane.rpc)
    const cursor = await loadCursor(lane)
    lane.head = { ...lane.head, ...cursor.ring.at(-1)! }
    const events = indexer(lane)
    heads = followHeads(lane, events, cursor, headsEvents(lane, events))
    await recover(lane)
    await heads.advance()
    await reconcile(lane, heads, fillGap)
    await prepareLane(lane)
    recovered = true
    node.head = header => {
      hint = header
      following.wake()
    }
    node.connected = () => {
      reconciling.wake()
      sending.wake()
    }
    lane.send(lane.slots.open().map(slot => slot.nonce))
    const queue = { name: `carapace.chain.${lane.network.chain}`, exchange: 'commands' as const, bindings: [`chain.command.${lane.network.chain}`] }
    consumer = await bus.subscribe({ ...queue, singleActive: true, prefetch: 500 }, intake(lane))
    leading(lane)
    lane.log.info({ lane: lane.id, epoch: lease.epoch, nextNonce: lane.slots.nextNonce, open: lane.slots.openCount }, 'leading the lane')
    lane.wake()
    const reason = await Promise.race([ended, lease.lost, aborted(stop)])
    if (reason instanceof Error) throw reason
  } finally {
    Object.assign(node, silent)
    for (const timer of timers) clearInterval(timer)
    await consumer?.close().catch(() => undefined)
    await Promise.all([planning, sending, following, reconciling, saving].map(loop => loop.stop()))
    await Promise.race([after.drained().then(() => heads?.save()), sleep(drainMs)]).catch(() => undefined)
    await lease.release().catch(() => undefined)
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>(resolve => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })))
