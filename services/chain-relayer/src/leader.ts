import { setTimeout as sleep } from 'node:timers/promises'
import { commandQueue } from '@carapace/api'
import { type Bus, BusClosedError, settledWithin } from '@carapace/bus'
import { beginSpan, processing } from '@carapace/service'
import { heldUnderOtherKey, isLed } from './lane/keys/network-leases.ts'
import type { Lane, LaneParts } from './lane/lane.ts'
import { figuresOf } from './lane/lane-figures.ts'
import { acquireLease, type Lease } from './lane/lease.ts'
import { intake } from './outbound/intake.ts'
import { begin, openTerm, startTimers, type Term } from './term.ts'

/** How long an ending lane waits for consumers of its last events. */
const drainMs = 10_000

export interface RunningLane {
  /** The lane while this process leads it. */
  current(): Lane | undefined
  /** Stops consuming commands, waits for running work, releases the lease. */
  close(): Promise<void>
}

/** Leads the lane whenever the lease can be acquired; starts again with a recovery after any failure. */
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
        const lease = await acquireLane(parts)
        if (lease) await underLease(parts, bus, node, lease, stop.signal, lane => (current = lane))
      } catch (error) {
        // a bus that was closed ends the process
        if (!(error instanceof BusClosedError))
          parts.log.warn({ lane: parts.id, reason: String(error) }, 'the lane stopped; it starts again when it can')
      }
      current = undefined
      await sleep(parts.timings.leaseRetryMs, undefined, { signal: stop.signal }).catch(() => undefined)
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

/** Two keys receive the commands of no network at the same time: while another one's leader lasts, this one waits. */
async function acquireLane(parts: LaneParts): Promise<Lease | undefined> {
  const { db, id, timings, isAlone, isRetiring } = parts
  if (await hasToWait(parts)) return undefined
  const lease = await acquireLease(db.leases, id, timings, isAlone, isRetiring)
  // another process may have acquired its own meanwhile
  if (lease === undefined || !(await hasToWait(parts))) return lease
  await lease.release()
  return undefined
}

/** A former key's lane waits for a leader of the present one: holding its lease earlier, it could shut out a process that has to lead under it. */
async function hasToWait(parts: LaneParts): Promise<boolean> {
  const { id, presentId, log } = parts
  if (presentId !== undefined) return !(await isLed(presentId, parts))
  const other = await heldUnderOtherKey(parts)
  if (other !== undefined) log.info({ lane: id, other }, 'the network is led under another key: this one waits until that process has ended')
  return other !== undefined
}

/** Receives the node's notices for the lane that leads. */
interface NodeNews {
  head(header: unknown): void
  connected(): void
}
const silent: NodeNews = { head: () => {}, connected: () => {} }

async function underLease(parts: LaneParts, bus: Bus, node: NodeNews, lease: Lease, stop: AbortSignal, leading: (lane: Lane) => void): Promise<void> {
  const term = openTerm(parts, lease)
  const { lane, loops } = term
  const timers = startTimers(term)
  let consumer: { close(): Promise<void> } | undefined
  try {
    await begin(term)
    receiveNews(node, term)
    // where the node contradicts itself the reconciler sends them once it does not
    if (lane.contradiction === undefined) lane.send(lane.slots.open().map(slot => slot.nonce))
    if (!lane.isRetiring) consumer = await consumeCommands(bus, lane)
    await lease.begun()
    leading(lane)
    lease.describe(() => figuresOf(lane))
    lane.log.info({ lane: lane.id, epoch: lease.epoch, nextNonce: lane.slots.nextNonce, open: lane.slots.openCount }, 'leading the lane')
    lane.wake()
    const reason = await Promise.race([term.ended, lease.lost, aborted(stop)])
    if (reason instanceof Error) throw reason
  } finally {
    Object.assign(node, silent)
    for (const timer of timers) clearInterval(timer)
    await consumer?.close().catch(() => undefined)
    await Promise.all(Object.values(loops).map(loop => loop.stop()))
    await settledWithin([lane.after.drained().then(() => term.heads?.save())], drainMs)
    await lease.release().catch(() => undefined)
  }
}

function receiveNews(node: NodeNews, term: Term): void {
  const { following, reconciling, sending } = term.loops
  node.head = header => {
    term.hint = header
    following.wake()
  }
  node.connected = () => {
    reconciling.wake()
    sending.wake()
  }
}

function consumeCommands(bus: Bus, lane: Lane): Promise<{ close(): Promise<void> }> {
  const accept = intake(lane)
  return bus.subscribe({ ...commandQueue(lane.network.chain), prefetch: 500 }, async command => {
    const span = beginSpan(processing('chain-relayer', command), command.traceparent)
    let failed = true
    try {
      await accept(span ? { ...command, traceparent: span.traceparent } : command)
      failed = false
    } finally {
      span?.end(failed)
    }
  })
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>(resolve => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })))
