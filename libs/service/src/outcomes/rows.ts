import { type ChainCommand, type CloudEvent, chainCommandType } from '@carapace/api'
import { type Database, type OutboxEntry, outgoing } from '@carapace/store'

/** Something whose end on the chain this service has not handled yet. Times are wall clock. */
export interface OutcomeRow {
  /** Operation key of a command, or the logId of a final log whose handler failed. */
  _id: string
  /** 0: from a record that waits, its command is not known. */
  round: number
  /** Number of the last event about it that was handled. */
  seq: number
  /** What was sent, so that a lost command can be sent again. */
  command?: { routingKey: string; event: CloudEvent }
  /** The log to handle again. */
  log?: CloudEvent
  /** The record that waits, where it is known. */
  record?: string
  sentAt: Date
  nextAt: Date
}

/** Rows of one service, in its own database. What is due is found by the index. */
export const openRows = (db: Database) => db.collection<OutcomeRow>('chain_outcomes', { next: { key: { nextAt: 1 } } })
export type OutcomeRows = ReturnType<typeof openRows>

/** The rows of the commands among outbox entries; the last one of a key counts. */
export function rowsOf(entries: readonly OutboxEntry[], source: string, sentAt: Date, nextAt: Date): OutcomeRow[] {
  const rows = new Map<string, OutcomeRow>()
  for (const entry of entries) {
    if (entry.type !== chainCommandType) continue
    const { opKey, round } = entry.data as ChainCommand
    const { routingKey, event } = outgoing(entry, source)
    rows.set(opKey, { _id: opKey, round, seq: 0, command: { routingKey, event }, sentAt, nextAt })
  }
  return [...rows.values()]
}
