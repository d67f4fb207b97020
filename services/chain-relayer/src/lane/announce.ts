import { createHash } from 'node:crypto'
import { type ChainLog, type CloudEvent, chainOutcome, cloudEvent, type Draft } from '@carapace/api'
import type { Bus, Outgoing } from '@carapace/bus'
import { recordStep, type Step } from './command-spans.ts'
import type { ConfirmedOp, FinalOp, Op, OpError } from './records.ts'

/** Events follow from stored state, with ids that follow from their content: after a crash the same event is published again under the same id. */
export interface Announcement {
  draft: Draft
  /** What makes it one event: repeated announcements of the same thing share it. */
  identity: string
  version: number
  traceparent: string | null
  /** What ended with it, and for which command: recorded when it is published. */
  step?: Step & { op: Op }
}
export type Announcer = (announcements: readonly Announcement[]) => Promise<void>

/** Publishes and waits until the bus has everything. @throws when the bus may not have it: announce again */
export function announcer(bus: Bus, now: () => Date): Announcer {
  return async announcements => {
    if (announcements.length === 0) return
    const time = now().toISOString()
    await bus.publish(announcements.map(announcement => outgoing(recorded(announcement), time)))
  }
}

const recorded = (announcement: Announcement): Announcement =>
  announcement.step ? { ...announcement, traceparent: recordStep(announcement.step.op, announcement.step) } : announcement

const about = (op: Op, seq: number) => ({
  opKey: op._id,
  round: op.round,
  kind: op.kind,
  network: op.network,
  aggregateKey: op.aggregateKey,
  seq,
})
const named = (op: Op, seq: number, draft: Draft, key: string, step?: Step): Announcement => ({
  draft,
  identity: `${op._id}#${op.round}#${draft.type}#${key}`,
  version: seq,
  traceparent: op.traceparent,
  ...(step ? { step: { ...step, op } } : {}),
})

export const submitted = (op: Op, seq: number, txHash: string): Announcement =>
  named(op, seq, chainOutcome(op.kind).submitted.ofPlain({ ...about(op, seq), txHash }), txHash, { name: 'sign', since: op.createdAt, txHash })

/** @param since when it was signed, Unix ms */
export const confirmed = (op: ConfirmedOp | FinalOp, since = op.createdAt): Announcement => inBlock(op, 'confirmed', { name: 'confirm', since })
/** @param since when it was confirmed, Unix ms */
export const finalized = (op: FinalOp, since = op.createdAt): Announcement => inBlock(op, 'finalized', { name: 'finalize', since })

function inBlock(op: ConfirmedOp | FinalOp, is: 'confirmed' | 'finalized', step: Pick<Step, 'name' | 'since'>): Announcement {
  const { _id: opKey, round, kind, network, aggregateKey, seq } = op
  const { txHash, blockNumber, blockHash, blockTime, already = false } = op.result
  const logs = op.result.logs as ChainLog[]
  const draft = chainOutcome(kind)[is].ofPlain({
    opKey,
    round,
    kind,
    network,
    aggregateKey,
    seq,
    txHash,
    blockNumber,
    blockHash,
    blockTime,
    logs,
    already,
  })
  return named(op, seq, draft, `${txHash}#${blockHash}`, { ...step, txHash, blockNumber })
}

export function failed(op: Op, error: OpError, terminal = true): Announcement {
  const draft = chainOutcome(op.kind).failed.ofPlain({
    ...about(op, op.seq),
    code: error.code as 'REVERTED',
    terminal,
    message: error.message,
    attempts: op.attempts,
    ...(error.revert ? { revert: error.revert } : {}),
    ...(op.txHash ? { txHash: op.txHash } : {}),
  })
  // A round can fail again, when a reorganisation dropped the effect that it had after all.
  const end = op.reversedAt ? `terminal#${op.reversedAt}` : 'terminal'
  return named(op, op.seq, draft, terminal ? end : `${error.code}#${error.message}`)
}

export const reorged = (op: Op, txHash: string, blockHash: string): Announcement =>
  named(op, op.seq, chainOutcome(op.kind).reorged.ofPlain({ ...about(op, op.seq), txHash, blockHash }), blockHash)

/** The event of an announcement, as it is published. @param time ISO 8601 */
export const eventOf = (announcement: Announcement, time: string): CloudEvent => outgoing(announcement, time).event

function outgoing({ draft, identity, version, traceparent }: Announcement, time: string): Outgoing {
  const about = { id: idOf(identity), source: '/carapace/chain-relayer', time, aggregateversion: version, traceparent: traceparent ?? undefined }
  return { exchange: draft.exchange, routingKey: draft.routingKey, event: cloudEvent(draft, about) }
}

/** A UUID (version 8) made of the identity's digest. */
function idOf(identity: string): string {
  const hex = createHash('sha256').update(identity).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
