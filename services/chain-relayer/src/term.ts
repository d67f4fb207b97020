import { hourMs } from '@carapace/api'
import { requireContracts } from './chain/network.ts'
import { headsEvents } from './heads-events.ts'
import { exchangeCursors, loadCursor } from './inbound/cursors.ts'
import { followHeads, type Heads } from './inbound/heads.ts'
import { indexer, noIndexer } from './inbound/indexer.ts'
import { clockWatch } from './lane/clock-watch.ts'
import { followUp } from './lane/follow-up.ts'
import { heldAggregates } from './lane/held-aggregates.ts'
import { needKeysOfStored } from './lane/keys/unknown-keys.ts'
import type { Lane, LaneParts } from './lane/lane.ts'
import type { Lease } from './lane/lease.ts'
import { opQueue } from './lane/queue.ts'
import { type Runner, runner, serially } from './lane/runner.ts'
import { slotTable } from './lane/slots.ts'
import { planPass } from './outbound/plan.ts'
import { prepareLane } from './outbound/prepare-lane.ts'
import { cancelRequested } from './outbound/send/cancel-requested.ts'
import { sender } from './outbound/send/sender.ts'
import { checkDoubtedLogs } from './repair/doubted-logs.ts'
import { gapFiller } from './repair/gap-filler.ts'
import { trim } from './repair/reaper.ts'
import { reconcile } from './repair/reconciler.ts'
import { recover, refill } from './repair/recovery.ts'
import { sweepQueue } from './repair/sweep-queue.ts'
import { RpcRefused, RpcUnavailable } from './rpc/rpc.ts'

/** One process's time as the leader of a lane: the lane, and its loops. */
export interface Term {
  readonly lane: Lane
  readonly loops: Readonly<Record<LoopName, Runner>>
  /** Resolves with the reason when the lane cannot continue. */
  readonly ended: Promise<unknown>
  readonly end: (reason?: unknown) => void
  readonly sends: ReturnType<typeof sender>
  /** One poll of the chain at a time. */
  readonly inOrder: ReturnType<typeof serially>
  readonly fillGap: ReturnType<typeof gapFiller>
  /** Undefined until the cursor is loaded. */
  heads: Heads | undefined
  /** No loop runs before the recovery is complete. */
  isRecovered: boolean
  /** When the collections are next searched for what another process wrote, by the monotonic clock. */
  storeCheckAt: number
  /** Start of the last complete search for operations that a former leader stored late, Unix ms; at first of the term. */
  sweptAt: number
  /** The last header that the node pushed, until it is processed. */
  hint: unknown
}

type LoopName = 'planning' | 'sending' | 'following' | 'reconciling' | 'saving'
/** Resolves to ms after which it runs again; undefined = when woken. */
type Work = (term: Term, heads: Heads) => Promise<number | undefined>

/** Below it there is room for commands that wait in the database. */
const fewOps = 1_000

const works: Readonly<Record<LoopName, Work>> = {
  planning: async ({ lane }) => {
    if (lane.queue.overflow && lane.queue.size < fewOps) await refill(lane)
    return (await planPass(lane)) ? 0 : undefined
  },
  sending: async ({ lane, sends }) => {
    const pause = await sends.pass(lane)
    lane.wake()
    return pause || undefined
  },
  following: async (term, heads) => {
    const pushed = term.hint
    term.hint = undefined
    await term.inOrder(() => heads.advance(pushed))
    return undefined
  },
  reconciling: async (term, heads) => {
    const { lane, inOrder, fillGap } = term
    await inOrder(async () => {
      await heads.advance()
      await reconcile(lane, heads, fillGap)
      if (performance.now() < term.storeCheckAt) return
      // set before: a request that comes meanwhile is for another search
      term.storeCheckAt = performance.now() + lane.timings.storeCheckMs
      let isDone = false
      try {
        isDone = await checkStore(term)
      } finally {
        if (!isDone) term.storeCheckAt = 0
      }
    })
    return undefined
  },
  saving: async (_, heads) => {
    await heads.save()
    return undefined
  },
}

/** Searches the collections for what another process wrote. @returns whether that was complete */
async function checkStore(term: Term): Promise<boolean> {
  const { lane } = term
  const startedAt = Date.now()
  // these are polled until the node has answered often enough
  const areDoubted = lane.isRetiring ? false : await checkDoubtedLogs(lane)
  await cancelRequested(lane)
  const isSwept = await sweepQueue(lane, term.sweptAt)
  if (isSwept) term.sweptAt = startedAt
  return isSwept && !areDoubted
}

/** A term in which nothing runs yet: see `begin`. */
export function openTerm(parts: LaneParts, lease: Lease): Term {
  let end: Term['end'] = () => {}
  const ended = new Promise<unknown>(resolve => {
    end = resolve
  })
  const sends = sender()
  const lane = laneOf(parts, lease, () => term)
  const loop = (name: LoopName) =>
    runner(
      async () => (term.isRecovered && term.heads ? works[name](term, term.heads) : undefined),
      error => failed(term, error),
    )
  const loops = {
    planning: loop('planning'),
    sending: loop('sending'),
    following: loop('following'),
    reconciling: loop('reconciling'),
    saving: loop('saving'),
  }
  const rest = { heads: undefined, isRecovered: false, hint: undefined, storeCheckAt: 0, sweptAt: Date.now() }
  const term: Term = { lane, loops, ended, end, sends, inOrder: serially(), fillGap: gapFiller(), ...rest }
  return term
}

function laneOf(parts: LaneParts, lease: Lease, term: () => Term): Lane {
  const wake = () => term().loops.planning.wake()
  const fail = (reason: unknown) => term().end(reason)
  return {
    ...parts,
    lease,
    queue: opQueue(),
    slots: slotTable(),
    after: followUp(fail, wake),
    held: heldAggregates(parts.db, parts.retiring?.id, parts.timings.tickMs),
    found: new Map(),
    head: { number: 0, hash: '', time: 0, baseFee: 0n, gasLimit: 30_000_000n },
    paused: undefined,
    contradiction: undefined,
    unchecked: new Set(),
    wake,
    send: nonces => {
      term().sends.enqueue(nonces)
      term().loops.sending.wake()
    },
    doubt: () => term().loops.reconciling.wake(),
    checkStore: () => {
      term().storeCheckAt = 0
      term().loops.reconciling.wake()
    },
    fail,
  }
}

/** The term waits for an unavailable node; any other failure ends it. */
function failed({ lane, end }: Term, error: unknown): number | undefined {
  if (error instanceof RpcUnavailable || error instanceof RpcRefused) return lane.timings.resendMs
  end(error)
  return undefined
}

/** Work that the clock starts. */
export function startTimers(term: Term): NodeJS.Timeout[] {
  const { lane, loops, inOrder } = term
  const clockJump = clockWatch()
  return [
    setInterval(() => {
      lane.queue.shift(clockJump())
      lane.wake()
    }, lane.timings.tickMs),
    setInterval(() => loops.following.wake(), lane.network.blockMs),
    setInterval(() => loops.reconciling.wake(), lane.timings.reconcileMs),
    setInterval(() => loops.saving.wake(), lane.timings.cursorSaveMs),
    setInterval(() => void inOrder(() => trim(lane)).catch(error => failed(term, error)), hourMs),
  ]
}

/** Recovers what the former leader stored, catches up with the chain, and starts the loops. */
export async function begin(term: Term): Promise<void> {
  const { lane, fillGap } = term
  await requireContracts(lane.network, lane.rpc)
  if (!lane.isRetiring) await beginAsPresentKey(lane)
  const cursor = await loadCursor(lane)
  lane.head = { ...lane.head, ...cursor.ring.at(-1)! }
  const events = lane.isRetiring ? noIndexer : indexer(lane)
  const heads = followHeads(lane, events, cursor, headsEvents(lane, events))
  term.heads = heads
  await recover(lane)
  await heads.advance()
  await reconcile(lane, heads, fillGap)
  if (!lane.isRetiring) await prepareLane(lane)
  term.isRecovered = true
}

/** @throws WrongNetwork while another key has something to finish that is not here */
async function beginAsPresentKey(lane: Lane): Promise<void> {
  await needKeysOfStored(lane)
  await exchangeCursors(lane)
}
