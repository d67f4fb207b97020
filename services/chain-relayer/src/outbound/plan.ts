import { encodeBatch } from '@carapace/chain'
import { type Announcement, submitted } from '../lane/announce.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import { type OpError, type OpenTx, type QueuedOp, signedTx } from '../lane/records.ts'
import { claim } from './claim.ts'
import { type Ending, endUnsigned } from './endings.ts'
import { lostWith, needsOf } from './needs.ts'
import { postponeUnaffordable } from './postpone-unaffordable.ts'
import { batchIds, type Prepared, prepare } from './prepare.ts'
import { type EndChecks, endChecks } from './public-authorization.ts'
import { feeFor, signAttempt } from './send/transaction.ts'
import { simulate } from './simulate.ts'

export interface Candidate {
  op: QueuedOp
  /** Gas of its call with all factors. */
  gas: bigint
  /** May go through the Batcher. */
  batchable: boolean
  /** Must go through the Batcher, also alone. */
  batched: boolean
}
export interface Group<C extends Candidate = Candidate> {
  members: C[]
  batch: boolean
}
export interface PlanLimits {
  /** Transactions. */
  slots: number
  /** Calls in one Batcher transaction; 1 = never batch but what must. */
  batchSize: number
  batchGas: bigint
}

/**
 * Groups operations into transactions, in order. What may share a transaction does, when more than one waits; the order within an
 * aggregate is the order of the list.
 */
export function plan<C extends Candidate>(candidates: readonly C[], limits: PlanLimits): Group<C>[] {
  const groups: Group<C>[] = []
  let open: Group<C> | undefined
  let openGas = 0n
  const openAggregates = new Set<string>()
  const close = () => {
    if (open) groups.push(open)
    open = undefined
    openGas = 0n
    openAggregates.clear()
  }
  const share = candidates.length > 1 && limits.batchSize > 1

  for (const candidate of candidates) {
    if (groups.length + (open ? 1 : 0) > limits.slots) break
    if (!candidate.batched && !(share && candidate.batchable)) {
      if (openAggregates.has(candidate.op.aggregateKey)) close()
      groups.push({ members: [candidate], batch: false })
      continue
    }
    if (open && (open.members.length >= limits.batchSize || openGas + candidate.gas > limits.batchGas)) close()
    open ??= { members: [], batch: true }
    open.members.push(candidate)
    openGas += candidate.gas
    openAggregates.add(candidate.op.aggregateKey)
  }
  close()
  return groups.slice(0, limits.slots).map(unwrapLone)
}

/** A lone call needs no Batcher unless it must. */
function unwrapLone<C extends Candidate>(group: Group<C>): Group<C> {
  const [only] = group.members
  return group.batch && group.members.length === 1 && !only!.batched ? { members: group.members, batch: false } : group
}

/** Transactions signed and stored in one pass. */
const perPass = 200
/** After so many signatures the event loop runs once. */
const perTick = 25
/** With more pending pieces of follow-up work nothing is signed, so that the store can catch up. */
const mostPending = 32
/** Up to so many waiting operations each call is simulated first; above it a devnet's next block shows the result soon enough. */
const simulateUpTo = 20

/**
 * One pass of the planner: selects what may be sent, signs it, stores it, passes it to the sender.
 * @returns whether another pass may find work immediately
 */
export async function planPass(lane: Lane): Promise<boolean> {
  assertLeading(lane)
  const checks = endChecks(lane)
  await endDoomed(lane, checks)
  const free = Math.min(perPass, lane.network.window - lane.slots.openCount)
  if (free <= 0 || lane.paused || lane.contradiction !== undefined || lane.after.pending > mostPending) return false
  await lane.held.refresh()
  const now = Date.now()
  const ready = lane.queue.ready(now, free * lane.batchSize, lane.held.keys)
  if (ready.length === 0) return false

  const endings: Ending[] = []
  const prepared: Prepared[] = []
  for (const op of await withTheirNeeds(lane, ready, endings)) {
    if (op.failLater) {
      endings.push({ op, error: op.failLater, checkEffect: true })
      continue
    }
    const result = await prepare(lane, op)
    if ('code' in result) endings.push({ op, error: result })
    else prepared.push(result)
  }
  const postponed = await postponeUnaffordable(lane, prepared)
  const payable = prepared.filter(one => !postponed.has(one.op._id))
  const limits = { slots: free, batchSize: lane.batchSize, batchGas: batchGas(lane) }
  const tried = ready.length <= simulateUpTo || !lane.network.devnet ? payable : payable.filter(one => one.op.waiting)
  const refused = await simulate(lane, tried, endings)
  if (endings.length) await endUnsigned(lane, endings, checks)
  // An operation that is tried again later stays before the others of its aggregate.
  const held = new Set(ready.flatMap(({ _id, aggregateKey }) => ((lane.queue.get(_id)?.nextAt ?? 0) > now ? [aggregateKey] : [])))
  const groups = plan(
    payable.filter(one => !refused.has(one.op._id) && !held.has(one.op.aggregateKey)),
    limits,
  )
  if (groups.length === 0) return endings.length > 0
  await signAndStore(lane, groups)
  return true
}

/** Leaves out operations that wait for an effect that is not in a block now, and ends those that wait in vain. */
async function withTheirNeeds(lane: Lane, ready: readonly QueuedOp[], endings: Ending[]): Promise<QueuedOp[]> {
  const left: QueuedOp[] = []
  for (const op of ready) {
    const state = op.waiting ? await needsOf(lane, op) : undefined
    if (state?.is === 'failed') endings.push({ op, error: lostWith(state.need, op.waiting!.error), checkEffect: true })
    else if (state?.is === 'open') lane.queue.replace({ ...op, nextAt: Date.now() + lane.timings.reconcileMs })
    else left.push(op)
  }
  return left
}

async function signAndStore(lane: Lane, groups: readonly Group<Prepared>[]): Promise<void> {
  const fee = feeFor(lane.network.profile.fees, lane.head.baseFee)
  const now = Date.now()
  const records: OpenTx[] = []
  for (const [index, group] of groups.entries()) {
    const nonce = lane.slots.nextNonce + index
    const content = contentOf(lane, group)
    if (index % perTick === perTick - 1) await new Promise(resolve => setImmediate(resolve))
    const attempt = await signAttempt(lane.signer, { ...content, chainId: lane.network.profile.chainId, nonce, fee }, now)
    const carried = {
      liveOps: group.members.map(member => member.op._id),
      ops: group.members.map(member => ({
        opKey: member.op._id,
        round: member.op.round,
        seq: member.op.seq + 1,
        batchId: group.batch ? batchIds(member).at(-1)! : null,
        ...(member.validBefore === undefined ? {} : { validBefore: member.validBefore }),
      })),
    }
    const { to, value, gasLimit } = content
    records.push(
      signedTx(
        { lane: lane.id, epoch: lane.lease.epoch, signedHead: lane.head.number, nonce, ...carried, to, value: String(value), gasLimit },
        attempt,
      ),
    )
  }
  lane.failPoint('after-sign')
  const stored = await claim(lane, records)
  lane.failPoint('after-tx-insert')
  moveToSlots(lane, stored, groups)
  lane.send(stored.map(tx => tx.nonce))
}

/** From here on the transactions hold the operations. */
function moveToSlots(lane: Lane, txs: readonly OpenTx[], groups: readonly Group<Prepared>[]): void {
  const events: Announcement[] = []
  const slots = txs.map((tx, index) => {
    const ops = new Map<string, QueuedOp>()
    const txHash = tx.attempts[0]!.hash
    for (const { op: planned } of groups[index]!.members) {
      // It may have been cancelled while this pass ran.
      const waiting = lane.queue.get(planned._id) ?? planned
      const op = { ...waiting, seq: waiting.seq + 1, txHash, updatedAt: tx.signedAt }
      lane.queue.remove(op._id)
      ops.set(op._id, op)
      events.push(submitted(op, op.seq, txHash))
    }
    lane.slots.nextNonce = Math.max(lane.slots.nextNonce, tx.nonce + 1)
    return lane.slots.add(tx, ops)
  })
  void lane.after.start(slots, () => lane.announce(events))
}

function contentOf(lane: Lane, group: Group<Prepared>) {
  const [first] = group.members
  if (!group.batch) return { to: first!.call.to, data: first!.call.data, value: first!.call.value, gasLimit: Number(first!.gas) }
  const calls = group.members.flatMap(member => {
    const ids = batchIds(member)
    return [...member.prelude, member.call].map((call, index) => ({ id: ids[index]!, to: call.to, data: call.data, gas: member.gas }))
  })
  return { ...encodeBatch(calls, lane.network.addresses), value: 0n }
}

/** Deadlines and cancellations meet operations that are not signed yet. */
async function endDoomed(lane: Lane, checks: EndChecks): Promise<void> {
  const doomed = lane.queue.doomed(Date.now())
  if (doomed.length === 0) return
  await endUnsigned(
    lane,
    doomed.map(op => ({
      op,
      error: op.failLater ?? (op.cancelRequested ? { code: 'CANCELLED', message: 'cancelled by an operator' } : tooLate(op)),
      // A transaction that carried it may be in a block, also one of an earlier round.
      checkEffect: op.attempts > 0 || op.txHash !== null || op.round > 1,
    })),
    checks,
  )
}

/** EXPIRED says that it was never signed. One that was signed may have published its authorisation, also where no block has carried it. */
const tooLate = ({ attempts, txHash }: QueuedOp): OpError => {
  if (attempts === 0 && txHash === null) return { code: 'EXPIRED', message: 'the deadline passed before it could be signed' }
  return { code: attempts === 0 ? 'REPLACED' : 'REVERTED', message: 'the deadline passed before it could be signed again' }
}

/** 60 % of a block at most, and no more than the network's profile allows. */
function batchGas(lane: Lane): bigint {
  const share = (lane.head.gasLimit * 6n) / 10n
  return share < lane.network.profile.batchGas ? share : lane.network.profile.batchGas
}
