import { type Chain, type ChainCommand, chainCommand, chainCommandType, commandRoute, type Draft, type PageQuery, refuse } from '@carapace/api'
import type { mongo } from 'mongoose'
import type { Collections } from '../lane/collections.ts'
import { hasFailed, type Op, type Tx } from '../lane/records.ts'

/** A command that spends a source is never signed later than this after its request (behaviour 6.1). */
const commandTimeMs = 15 * 60_000

/** Commands whose owner gives the money or the stake back when they fail: repeated from here they would move it without a posting. */
const ownersRound: ReadonlySet<string> = new Set([
  'escrow.lock',
  'escrow.lock-x402',
  'escrow.accept',
  'bond.deposit',
  'bond.withdraw',
  'bond.lock',
  'bond.slash',
  'bond.unslash',
  'reward.pay',
  'job.fund',
  'domain.mint',
])

/** The operator's view of commands, and the actions on them. */
export interface Operator {
  list(
    query: PageQuery & { state?: string | undefined; chain?: Chain | undefined },
  ): Promise<PageQuery & { commands: OperationView[]; total: number }>
  inspect(opKey: string): Promise<OperationView>
  /** @throws Refusal INVALID_STATE unless its last round has failed, or when its owner has treated that failure as the end */
  retry(opKey: string): Promise<{ success: true; commandId: string; round: number }>
  /** @throws Refusal INVALID_STATE when there is nothing left to cancel */
  cancel(opKey: string): Promise<{ success: true; commandId: string; state: string }>
}

export function openOperator(db: Collections, emit: (drafts: Draft[]) => Promise<void>): Operator {
  const load = async (opKey: string) => (await db.ops.findOne({ _id: opKey })) ?? refuse('NOT_FOUND', { resource: 'command' })
  const claimsOf = async (keys: readonly string[]) => {
    const found = await db.txs.find({ liveOps: { $in: [...keys] }, nonce: { $ne: null } }).toArray()
    return new Map(found.flatMap(tx => (tx.liveOps ?? []).map(opKey => [opKey, tx] as const)))
  }

  return {
    list: async ({ state, chain, limit, offset }) => {
      const filter: mongo.Filter<Op> = { ...(chain ? { network: chain } : {}), ...stateFilter(state) }
      const [ops, total] = await Promise.all([
        db.ops.find(filter).sort({ order: -1 }).skip(offset).limit(limit).toArray(),
        db.ops.countDocuments(filter),
      ])
      const claims = await claimsOf(ops.map(op => op._id))
      return { commands: ops.map(op => view(op, claims.get(op._id))), total, limit, offset }
    },
    inspect: async opKey => {
      const op = await load(opKey)
      const tx = (await claimsOf([opKey])).get(opKey)
      return { ...view(op, tx), args: op.args, deadline: op.deadline, history: op.history, result: op.result, transaction: tx ? txView(tx) : null }
    },
    retry: async opKey => {
      const op = await load(opKey)
      if (!hasFailed(op)) refuse('INVALID_STATE', { state: op.state })
      const { kind, network, args, aggregateKey, round, deadline } = op
      if (ownersRound.has(kind))
        refuse(
          'INVALID_STATE',
          { state: op.state, kind },
          { message: `What was set aside for ${kind} was given back; a new request of its owner is the next round` },
        )
      const again = deadline === null ? {} : { deadline: Date.now() + commandTimeMs }
      const command: ChainCommand = chainCommand.parse({ opKey, round: round + 1, network, kind, args, aggregateKey, ...again })
      await emit([{ exchange: 'commands', type: chainCommandType, routingKey: commandRoute(network), subject: opKey, data: command }])
      return { success: true, commandId: opKey, round: round + 1 }
    },
    cancel: async opKey => {
      const { state } = await load(opKey)
      const marked = await db.ops.updateOne({ _id: opKey, state: 'QUEUED' }, { $set: { cancelRequested: true } })
      if (marked.matchedCount === 0) refuse('INVALID_STATE', { state })
      return { success: true, commandId: opKey, state: 'CANCELLING' }
    },
  }
}

/** INCLUDED is QUEUED with a live transaction: distinguished when shown, not when stored. */
const stateFilter = (state: string | undefined): mongo.Filter<Op> =>
  state ? { state: (state === 'INCLUDED' ? 'QUEUED' : state) as Op['state'] } : {}

export interface OperationView extends Record<string, unknown> {
  commandId: string
  network: Chain
  kind: string
  state: string
  round: number
  attempts: number
  aggregateKey: string
  txHash: string | null
  nonce: number | null
  error: string | null
  createdAt: string
  updatedAt: string
}

function view(op: Op, tx: Tx | undefined): OperationView {
  const { network, kind, round, attempts, aggregateKey } = op
  return {
    commandId: op._id,
    network,
    kind,
    state: op.state === 'QUEUED' && tx ? 'INCLUDED' : op.state,
    round,
    attempts,
    aggregateKey,
    txHash: tx?.minedHash ?? tx?.attempts.at(-1)?.hash ?? op.txHash,
    nonce: tx?.nonce ?? null,
    error: op.error ? `${op.error.code}: ${op.error.message}` : null,
    createdAt: new Date(op.createdAt).toISOString(),
    updatedAt: new Date(op.updatedAt).toISOString(),
  }
}

const txView = ({ _id, nonce, state, epoch, block, gasUsed, gasLimit, attempts }: Tx) => ({
  id: _id,
  nonce,
  state,
  epoch,
  block,
  gasLimit,
  gasUsed,
  attempts: attempts.map(({ hash, fee, noop, signedAt }) => ({ hash, fee, noop: noop === true, signedAt: new Date(signedAt).toISOString() })),
})
