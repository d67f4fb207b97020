import { type CloudEvent, chainRelayerApi, outcomesPerRequest, type ResponseOf } from '@carapace/api'
import type { Bus } from '@carapace/bus'
import type { Dispatch } from '../consume.ts'
import type { Peers } from '../peers/peers.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Handled } from './handled.ts'
import { nextPollAt, nextRetryAt } from './next-poll.ts'
import type { OutcomeRow, OutcomeRows } from './rows.ts'

export type RelayerOutcome = ResponseOf<typeof chainRelayerApi.internal.chainOutcomes>['outcomes'][number]

export interface PollParts {
  rows: OutcomeRows
  handled: Handled
  dispatch: Dispatch
  peers: Peers
  bus: Bus
  log: Logger
  /** Whether this service consumes a `finalized` outcome. */
  finality: boolean
  firstMs: number
}

/** A row that is polled again. */
interface Later {
  row: OutcomeRow
  seq: number
  /** An event of it could not be handled just now. */
  hasFailed: boolean
}

const concurrency = 10
const timeoutMs = 10_000

/** @throws DEPENDENCY_UNAVAILABLE or CHAIN_UNAVAILABLE: poll later */
export async function requestOutcomes(
  { peers, finality }: Pick<PollParts, 'peers' | 'finality'>,
  operations: readonly { opKey: string; seq: number }[],
  events: boolean,
): Promise<RelayerOutcome[]> {
  const answers: RelayerOutcome[] = []
  for (let at = 0; at < operations.length; at += outcomesPerRequest) {
    const body = { operations: operations.slice(at, at + outcomesPerRequest), finality, events }
    const { outcomes } = await peers.call('chain-relayer', chainRelayerApi.internal.chainOutcomes, { body, timeoutMs })
    answers.push(...outcomes)
  }
  return answers
}

/**
 * Polls the outcomes of rows and carries on from the answers, through the service's own subscriptions. A command that never arrived is sent again.
 * @throws what `requestOutcomes` throws; the rows are then as before
 */
export async function pollRows(parts: PollParts, due: readonly OutcomeRow[]): Promise<void> {
  const commands = due.filter(row => row.log === undefined)
  const seqOf = (row: OutcomeRow) => Math.max(row.seq, parts.handled.seqOf(row._id))
  const outcomes = await requestOutcomes(
    parts,
    commands.map(row => ({ opKey: row._id, seq: seqOf(row) })),
    true,
  )
  const ended: string[] = []
  const later: Later[] = []
  const lost: OutcomeRow[] = []
  await inGroups(commands, async (row, index) => {
    const outcome = outcomes[index]!
    const isLost = !outcome.known || (outcome.failed && outcome.round < row.round)
    if (isLost && row.command) lost.push(row)
    const seq = await handleAll(parts, outcome.events, seqOf(row))
    if (seq !== undefined && outcome.ended && !isLost) ended.push(row._id)
    else later.push({ row, seq: seq ?? seqOf(row), hasFailed: seq === undefined })
  })
  await inGroups(
    due.filter(row => row.log !== undefined),
    async row => {
      if ((await handleAll(parts, [row.log!], 0)) === undefined) later.push({ row, seq: 0, hasFailed: true })
      else ended.push(row._id)
    },
  )
  sendAgain(parts, lost)
  await save(parts, ended, later)
}

/** @returns number of the last event; undefined when one could not be handled now */
async function handleAll({ dispatch }: PollParts, events: readonly CloudEvent[], seq: number): Promise<number | undefined> {
  let last = seq
  for (const event of events) {
    try {
      await dispatch(event, 1)
    } catch {
      // the dispatcher logged it
      return undefined
    }
    last = Math.max(last, event.aggregateversion)
  }
  return last
}

/** Same key and round: the relayer knows a duplicate. Not waited for: in one process a publish lasts until the lane accepts it. */
function sendAgain({ bus, log }: PollParts, lost: readonly OutcomeRow[]): void {
  if (lost.length === 0) return
  log.warn({ commands: lost.length, first: lost[0]!._id }, 'commands that the relayer does not know are sent again')
  const messages = lost.map(({ command }) => ({ exchange: 'commands' as const, ...command! }))
  bus.publish(messages).catch((error: unknown) => log.warn({ err: error }, 'commands could not be sent again'))
}

async function save({ rows, handled, firstMs }: PollParts, ended: readonly string[], later: readonly Later[]) {
  const now = new Date()
  const writes = later.map(({ row, seq, hasFailed }) => {
    const nextAt = (hasFailed ? nextRetryAt : nextPollAt)(row.sentAt, now, firstMs)
    return { updateOne: { filter: { _id: row._id, round: row.round }, update: { $set: { nextAt, seq } } } }
  })
  if (ended.length) await rows.deleteMany({ _id: { $in: [...ended] }, nextAt: { $lte: now } })
  if (writes.length) await rows.bulkWrite(writes, { ordered: false })
  for (const opKey of ended) handled.forget(opKey)
}

/** Some at a time: a backlog must not occupy the service's database. */
async function inGroups<Item>(items: readonly Item[], work: (item: Item, index: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += concurrency)
    await Promise.all(items.slice(at, at + concurrency).map((item, index) => work(item, at + index)))
}
