import type { Need } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'
import { delayAfter } from '../lane/outcome.ts'
import { type FailedOp, hasFailed, type Op, type OpError, type Waiting } from '../lane/records.ts'
import { awaitsRoom } from './awaits-room.ts'
import { storedArgsOf } from './prepare.ts'

/**
 * The state of the commands whose effect an operation needs.
 * - open: one is not in a block now; a call would only fail
 * - confirmed: all are in a block, one of them not deep enough
 * - over: nothing about them will change, or none is known here (another sender's transaction may produce the effect)
 * - failed: none of them will ever have its effect
 */
export type NeedsState = { is: 'open' | 'confirmed' | 'over' } | { is: 'failed'; need: FailedOp }

/** Checks the earlier operations of the same aggregate. */
export async function needsOf(lane: Lane, op: Op): Promise<NeedsState> {
  const command = lane.commandOf(op.kind)
  const args = command && storedArgsOf(command, op)
  const needs = args ? command.needs(args) : []
  if (needs.length === 0) return { is: 'over' }
  const kinds = [...new Set(needs.map(need => need.kind))]
  const stored = await lane.db.ops
    .find({ aggregateKey: op.aggregateKey, network: op.network, kind: { $in: kinds }, order: { $lt: op.order } })
    .toArray()
  // Memory has an operation's newest state before the store has it.
  const found = stored.map(record => lane.queue.get(record._id) ?? lane.slots.ofOp(record._id)?.ops.get(record._id) ?? record)
  const relevant = found.filter(one => needs.some(need => isNeeded(need, one)))
  const failed = relevant.filter(hasFailed)
  if (relevant.some(one => one.state === 'QUEUED')) return { is: 'open' }
  if (relevant.some(one => one.state === 'CONFIRMED')) return { is: 'confirmed' }
  const last = failed.at(-1)
  return last && failed.length === relevant.length ? { is: 'failed', need: last } : { is: 'over' }
}

/**
 * An effect that was published and reversed may rest on somebody else's transaction of the same blocks, such as the deposit that pays for it: it is
 * tried for so long before it counts as lost.
 */
const reversedPatienceMs = 180_000

/**
 * What follows for an operation whose call failed because an effect may be missing.
 * @returns with the try counted in `waiting`
 */
export async function afterMissing(lane: Lane, tried: Op, error: OpError): Promise<{ op: Op } & ({ delayMs: number } | { end: OpError })> {
  const waiting = { fromBlock: tried.waiting?.fromBlock ?? lane.head.number, tries: (tried.waiting?.tries ?? 0) + 1, error }
  const op: Op = { ...tried, waiting }
  const state = await needsOf(lane, op)
  if (state.is === 'failed') return { op, end: lostWith(state.need, error) }
  const isPatient = Date.now() - (op.reversedAt ?? 0) < reversedPatienceMs
  const isLast = lane.commandOf(op.kind)?.isEntry || (!isPatient && isExhausted(lane, waiting))
  if (state.is === 'over' && isLast && !awaitsRoom(lane, op, waiting)) return { op, end: error }
  return { op, delayMs: delayAfter(waiting.tries, lane.timings.retryDelaysMs, Math.random()) }
}

/** The error of an operation that cannot succeed because another one failed. */
export function lostWith(need: FailedOp, { revert }: OpError): OpError {
  const message = `${need._id} failed: ${need.error.code}: ${need.error.message}`
  return { code: 'REVERTED', message: message.slice(0, 500), ...(revert ? { revert } : {}) }
}

/**
 * A block that a reorganisation dropped is included again, or never, once the chain has grown by its finality. A chain may stop growing,
 * so tries are limited, too.
 */
const isExhausted = (lane: Lane, { fromBlock, tries }: Waiting): boolean =>
  tries >= lane.timings.retryDelaysMs.length + extraTries ||
  (tries >= lane.timings.retryDelaysMs.length && lane.head.number > fromBlock + lane.network.finality)
const extraTries = 3

const isNeeded = ({ kind, where = {} }: Need, op: Op): boolean =>
  op.kind === kind && Object.entries(where).every(([name, value]) => op.args[name] === value)
