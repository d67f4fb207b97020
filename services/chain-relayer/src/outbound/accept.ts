import { createHash } from 'node:crypto'
import type { ChainCommand } from '@carapace/api'
import { commandStates } from '../lane/command-states.ts'
import type { Op, OpError, QueuedOp } from '../lane/records.ts'

/** How a command compares with the stored operation of its key. */
export type Verdict =
  /** Nothing new: its outcome is published again. */
  | { is: 'known' }
  | { is: 'refused'; error: OpError }
  /** A further round: the record starts again if the last round has failed without an effect. */
  | { is: 'next-round' }

/** Rules of behaviour 13, "Once". */
export function compare(known: Op, command: ChainCommand): Verdict {
  if (command.round < known.round) return { is: 'known' }
  if (command.round === known.round) {
    if (hashOf(command) === known.argsHash) return { is: 'known' }
    return { is: 'refused', error: { code: 'IDEMPOTENCY_MISMATCH', message: `args: round ${known.round} of ${known._id} came with others` } }
  }
  if (commandStates.next(known.state, 'nextRound', known) === undefined)
    return { is: 'refused', error: { code: 'ROUND_REFUSED', message: `round: round ${known.round} is ${known.state}, not failed` } }
  return { is: 'next-round' }
}

/** A new record of a command. */
export function newOp(command: ChainCommand, lane: string, order: number, now: number, traceparent: string | null): QueuedOp {
  return {
    _id: command.opKey,
    round: command.round,
    network: command.network,
    lane,
    kind: command.kind,
    args: command.args,
    argsHash: hashOf(command),
    aggregateKey: command.aggregateKey,
    state: 'QUEUED',
    attempts: 0,
    order,
    nextAt: 0,
    deadline: command.deadline ?? null,
    gasFactor: 1,
    viaBatcher: false,
    seq: 0,
    countedTx: null,
    txHash: null,
    result: null,
    error: null,
    causationId: command.causationId ?? null,
    traceparent,
    history: [{ at: now, what: `round ${command.round} accepted` }],
    createdAt: now,
    updatedAt: now,
  }
}

/** Digest of what a round consists of; the order of object keys does not matter. */
export function hashOf({ round, kind, network, args }: ChainCommand): string {
  return createHash('sha256').update(canonical({ round, kind, network, args })).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
    .join(',')}}`
}
