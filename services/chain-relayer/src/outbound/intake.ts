import { createHash } from 'node:crypto'
import { type ChainCommand, type CloudEvent, chainCommand } from '@carapace/api'
import { mongo } from 'mongoose'
import { z } from 'zod'
import { failed } from '../lane/announce.ts'
import { commandStates } from '../lane/command-states.ts'
import { Fenced, type Lane } from '../lane/lane.ts'
import { outcomeOf } from '../lane/outcome-of.ts'
import { hasFailed, type Op, type OpError, type QueuedOp, voidIdOf } from '../lane/records.ts'
import { serially } from '../lane/runner.ts'
import { confirmFound, effectNow } from './endings.ts'
import { argsOf, issueText } from './prepare.ts'

const duplicateKey = 11000

interface Arrival {
  command: ChainCommand
  traceparent: string | null
  done(): void
  failed(error: unknown): void
}

/**
 * Accepts commands. A command is acknowledged when it is stored; those of one moment share a write. Malformed ones are refused here:
 * an event when their key can be read, else the dead letters with the faulty field named.
 */
export function intake(lane: Lane): (event: CloudEvent) => Promise<void> {
  const waiting = new Map<string, Arrival[]>()
  const inOrder = serially()
  let scheduled = false
  let order = 0
  const nextOrder = () => {
    // Never before waiting operations, even when the clock was set back.
    order = Math.max(order + 1, lane.queue.lastOrder + 1, Date.now() * 1_000)
    return order
  }

  async function flush(): Promise<void> {
    scheduled = false
    // One arrival per key and write: a second one finds the first stored.
    const batch = [...waiting.entries()].map(([key, arrivals]) => {
      const first = arrivals.shift()!
      if (arrivals.length === 0) waiting.delete(key)
      return first
    })
    if (waiting.size) schedule()
    try {
      await store(batch)
      for (const arrival of batch) arrival.done()
    } catch (error) {
      for (const arrival of batch) arrival.failed(error)
    }
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => void inOrder(flush))
  }

  async function store(batch: readonly Arrival[]): Promise<void> {
    if (!lane.lease.valid()) throw new Fenced('commands go to the next leader')
    lane.failPoint('before-op-upsert')
    const records = batch.map(({ command, traceparent }) => newOp(command, senderOf(lane, command), nextOrder(), Date.now(), traceparent))
    const duplicates = await insertNew(lane, records)
    lane.failPoint('after-op-upsert')
    const repeated = batch.filter((_, index) => duplicates.has(index))
    for (const [index, record] of records.entries()) if (!duplicates.has(index)) enqueue(lane, record)
    for (const arrival of repeated) await again(lane, arrival.command, nextOrder, arrival.traceparent)
    lane.wake()
  }

  return async event => {
    const parsed = chainCommand.safeParse(event.data)
    if (!parsed.success) return refuseUnread(lane, event, parsed.error)
    const error = faultOf(lane, parsed.data)
    if (error) return lane.announce([failed(newOp(parsed.data, lane.id, 0, 0, event.traceparent ?? null), error, false)])
    const absent = absentSender(lane, parsed.data)
    if (absent) return refuseWithoutKey(lane, parsed.data, absent, event.traceparent ?? null)
    await new Promise<void>((resolve, reject) => {
      const arrivals = waiting.get(parsed.data.opKey) ?? []
      arrivals.push({ command: parsed.data, traceparent: event.traceparent ?? null, done: resolve, failed: reject })
      waiting.set(parsed.data.opKey, arrivals)
      schedule()
    })
  }
}

/** @returns places of the records whose key is known already */
async function insertNew(lane: Lane, records: readonly QueuedOp[]): Promise<ReadonlySet<number>> {
  try {
    await lane.db.ops.insertMany([...records], { ordered: false })
    return new Set()
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error
    const faults = [error.writeErrors].flat()
    if (faults.length === 0 || faults.some(fault => fault.code !== duplicateKey)) throw error
    return new Set(faults.map(fault => fault.index))
  }
}

/** The fault of a well-formed command; names the field. */
function faultOf(lane: Lane, command: ChainCommand): OpError | undefined {
  const invalid = (message: string): OpError => ({ code: 'INVALID_COMMAND', message })
  if (command.network !== lane.network.chain) return invalid(`network: ${command.network} commands do not belong here`)
  const kind = lane.commandOf(command.kind)
  if (!kind) return invalid(`kind: there is no ${command.kind}`)
  if (kind.only === 'devnet' && !lane.network.devnet) return invalid(`kind: ${command.kind} exists on devnets only`)
  if (kind.only === 'gasless' && !lane.network.profile.gasless) return invalid(`kind: ${command.kind} is for networks without gas money only`)
  try {
    const args = argsOf(kind, command as unknown as Op)
    for (const name of ['contract', 'evaluator'] as const) {
      const place = args[name]
      if (typeof place === 'string' && !isOurs(lane, place)) return invalid(`args.${name}: ${place} is no contract of ${command.network}`)
    }
    const expected = kind.opKey(args)
    return expected === command.opKey ? undefined : invalid(`opKey: must be ${expected} for these args`)
  } catch (error) {
    return invalid(error instanceof z.ZodError ? issueText(error) : String((error as Error).message))
  }
}

const isOurs = ({ network: { addresses, former } }: Lane, address: string): boolean =>
  [...Object.values(addresses), ...Object.values(former).flat()].includes(address)

/** A command that cannot be parsed becomes a dead letter; its reason names the field. */
async function refuseUnread(lane: Lane, event: CloudEvent, error: z.ZodError): Promise<void> {
  const reason = error.issues.map(issue => `${issue.path.join('.') || 'data'}: ${issue.message}`).join('; ')
  lane.log.warn({ eventId: event.id, reason }, 'malformed command')
  throw new Error(`malformed command: ${reason}`)
}

/** A command for a key that is known already. */
async function again(lane: Lane, command: ChainCommand, nextOrder: () => number, traceparent: string | null): Promise<void> {
  const stored = await lane.db.ops.findOne({ _id: command.opKey })
  if (!stored) throw new Error(`${command.opKey} does not exist any more`)
  const verdict = compare(stored, command)
  if (verdict.is === 'known') {
    if (stored.state === 'QUEUED' && !lane.queue.get(stored._id) && !lane.slots.ofOp(stored._id)) enqueue(lane, stored)
    return lane.announce(await outcomeOf(lane, stored))
  }
  const refusal = (error: OpError) => lane.announce([failed({ ...stored, round: command.round }, error, false)])
  if (verdict.is === 'refused') return refusal(verdict.error)

  const tombstone = voidIdOf(stored._id, stored.round)
  const claims = await lane.db.txs.find({ liveOps: stored._id }, { projection: { _id: 1 } }).toArray()
  if (claims.some(claim => claim._id !== tombstone))
    return refusal({ code: 'ROUND_REFUSED', message: 'round: a transaction of an earlier round is still alive' })
  const effect = await effectNow(lane, stored)
  const fresh = {
    ...newOp(command, senderOf(lane, command), nextOrder(), Date.now(), traceparent),
    seq: stored.seq,
    viaBatcher: stored.viaBatcher,
    createdAt: stored.createdAt,
  }
  const { _id, ...fields } = fresh
  const replaced = await lane.db.ops.replaceOne({ _id, round: stored.round, state: stored.state }, fields)
  if (replaced.matchedCount === 0) throw new Error(`${_id} changed meanwhile`)
  await lane.db.txs.deleteOne({ _id: tombstone })
  lane.found.delete(_id)
  // A reorganisation included the earlier round after its failure was published: this round ends with what that one did.
  if (effect) await confirmFound(lane, [{ op: fresh, effect }])
  else enqueue(lane, fresh)
}

/** The address that alone can send a command; undefined where any key of the platform can. */
function onlySenderOf(lane: Lane, command: ChainCommand): string | undefined {
  const kind = lane.commandOf(command.kind)
  return kind?.sender?.(argsOf(kind, command as unknown as Op))
}

/** The address that alone can send a command, where its key is not here. */
function absentSender(lane: Lane, command: ChainCommand): string | undefined {
  const from = onlySenderOf(lane, command)
  return from !== undefined && laneOf(lane, from) === undefined ? from : undefined
}

/** The key may come until the deadline has passed; then nothing will send the command, and what was paid for it is free. */
async function refuseWithoutKey(lane: Lane, command: ChainCommand, from: string, traceparent: string | null): Promise<void> {
  const stored = await lane.db.ops.findOne({ _id: command.opKey })
  if (stored && compare(stored, command).is === 'known') return lane.announce(await outcomeOf(lane, stored))
  const op = { ...newOp(command, lane.id, 0, 0, traceparent), seq: stored?.seq ?? 0 }
  const isOver = op.deadline !== null && op.deadline <= Date.now() && (!stored || hasFailed(stored)) && !(await effectNow(lane, stored ?? op))
  const code = isOver ? 'EXPIRED' : 'INVALID_COMMAND'
  await lane.announce([failed(op, { code, message: `args: only ${from} can send this, and its key is not here` }, isOver)])
}

/** The lane whose key has to send a command: what was paid to the former one is paid out by it. */
function senderOf(lane: Lane, command: ChainCommand): string {
  const from = onlySenderOf(lane, command)
  return (from && laneOf(lane, from)) ?? lane.id
}

function laneOf({ id, signer, retiring }: Lane, address: string): string | undefined {
  if (address === signer.address) return id
  return address === retiring?.signer.address ? retiring.id : undefined
}

/** The former key's lane finds what it has to send in the collection. */
function enqueue(lane: Lane, op: QueuedOp): void {
  if (op.lane === lane.id) lane.queue.add(op)
  else lane.held.add(op.aggregateKey)
}

/** How a command compares with the stored operation of its key. */
export type Verdict =
  /** Nothing new: its outcome is published again. */
  | { is: 'known' }
  | { is: 'refused'; error: OpError }
  /** A further round: the record starts again if the last round has failed without an effect. */
  | { is: 'next-round' }

/** Rules of behaviour 13, "Once". */
export function compare(stored: Op, command: ChainCommand): Verdict {
  if (command.round < stored.round) return { is: 'known' }
  if (command.round === stored.round) {
    if (hashOf(command) === stored.argsHash) return { is: 'known' }
    return { is: 'refused', error: { code: 'IDEMPOTENCY_MISMATCH', message: `args: round ${stored.round} of ${stored._id} came with others` } }
  }
  if (commandStates.next(stored.state, 'nextRound', stored) === undefined)
    return { is: 'refused', error: { code: 'ROUND_REFUSED', message: `round: round ${stored.round} is ${stored.state}, not failed` } }
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
