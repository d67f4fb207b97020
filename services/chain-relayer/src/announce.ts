import { createHash } from 'node:crypto'
import {
  type ChainLog,
  type CloudEvent,
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandFinalized,
  chainCommandReorged,
  chainCommandSubmitted,
  type Draft,
  type EventDef,
  type PayloadOf,
} from '@carapace/api'
import type { Bus, Outgoing } from '@carapace/bus'
import type { OpError, OpRecord } from './records.ts'

/** Events follow from stored state, with ids that follow from their content: after a crash the same event goes out again under the same id. */
export interface Announcement {
  draft: Draft
  /** What makes it one event: repeated announcements of the same thing share it. */
  identity: string
  version: number
  traceparent: string | null
}
export type Announcer = (announcements: readonly Announcement[]) => Promise<void>

/** Publishes and waits until the bus has everything. @throws when the bus may not have it: announce again */
export function announcer(bus: Bus, now: () => Date): Announcer {
  return async announcements => {
    if (announcements.length === 0) return
    const time = now().toISOString()
    await bus.publish(announcements.map(announcement => outgoing(announcement, time)))
  }
}

/** The draft of an event whose payload is plain JSON already: its type was checked when this was compiled. */
function draftOf<E extends EventDef>(event: E, payload: PayloadOf<E>): Draft {
  return {
    exchange: 'events',
    type: event.type,
    routingKey: event.type,
    subject: String((payload as Record<string, unknown>)[event.subject]),
    data: payload,
  }
}

const about = (op: OpRecord, seq: number) => ({
  opKey: op._id,
  round: op.round,
  kind: op.kind,
  network: op.network,
  aggregateKey: op.aggregateKey,
  seq,
})
const named = (op: OpRecord, seq: number, draft: Draft, key: string): Announcement => ({
  draft,
  identity: `${op._id}#${op.round}#${draft.type}#${key}`,
  version: seq,
  traceparent: op.traceparent,
})

export const submitted = (op: OpRecord, seq: number, txHash: string): Announcement =>
  named(op, seq, draftOf(chainCommandSubmitted, { ...about(op, seq), txHash }), txHash)

export function confirmed(op: OpRecord, event: typeof chainCommandConfirmed | typeof chainCommandFinalized = chainCommandConfirmed): Announcement {
  const { _id: opKey, round, kind, network, aggregateKey, seq } = op
  const { txHash, blockNumber, blockHash, blockTime } = op.result!
  const logs = op.result!.logs as ChainLog[]
  const draft = draftOf(event, { opKey, round, kind, network, aggregateKey, seq, txHash, blockNumber, blockHash, blockTime, logs })
  return named(op, seq, draft, `${txHash}#${blockHash}`)
}
export const finalized = (op: OpRecord): Announcement => confirmed(op, chainCommandFinalized)

export function failed(op: OpRecord, error: OpError, terminal = true): Announcement {
  const draft = draftOf(chainCommandFailed, {
    ...about(op, op.seq),
    code: error.code as 'REVERTED',
    terminal,
    message: error.message,
    attempts: op.attempts,
    ...(error.revert ? { revert: error.revert } : {}),
    ...(op.txHash ? { txHash: op.txHash } : {}),
  })
  return named(op, op.seq, draft, terminal ? 'terminal' : `${error.code}#${error.message}`)
}

export const reorged = (op: OpRecord, txHash: string, blockHash: string): Announcement =>
  named(op, op.seq, draftOf(chainCommandReorged, { ...about(op, op.seq), txHash, blockHash }), blockHash)

function outgoing({ draft, identity, version, traceparent }: Announcement, time: string): Outgoing {
  const event: CloudEvent = {
    specversion: '1.0',
    id: idOf(identity),
    source: '/carapace/chain-relayer',
    type: draft.type,
    subject: draft.subject,
    time,
    datacontenttype: 'application/json',
    aggregateversion: version,
    ...(traceparent ? { traceparent } : {}),
    data: draft.data,
  }
  return { exchange: draft.exchange, routingKey: draft.routingKey, event }
}

/** A UUID (version 8) made of the identity's digest. */
function idOf(identity: string): string {
  const hex = createHash('sha256').update(identity).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
