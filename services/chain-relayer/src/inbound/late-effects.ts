import type { RawLog } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'
import { confirm, type OpOutcome, type OpStep } from '../lane/outcome.ts'
import { type ConfirmedOp, hasFailed, type Op, type OpResult, type Tx } from '../lane/records.ts'

/**
 * What a mined transaction did for operations that it holds no longer and that were reported failed: a reorganisation, or a node that held it back,
 * included it afterwards. The chain is right: they are confirmed, without a claim. One that is queued for another try finds its effect itself. After
 * a crash the event is repeated.
 */
export async function lateEffects(
  lane: Pick<Lane, 'db' | 'found'>,
  tx: Tx,
  outcomes: ReadonlyMap<string, OpOutcome>,
  resultOf: (logs: readonly RawLog[]) => OpResult,
): Promise<OpStep<ConfirmedOp>[]> {
  const done = new Map<string, readonly RawLog[]>()
  for (const { opKey } of tx.ops) {
    const outcome = outcomes.get(opKey)
    if (!tx.liveOps?.includes(opKey) && outcome?.kind === 'done' && outcome.logs.length > 0) done.set(opKey, outcome.logs)
  }
  if (done.size === 0) return []
  const stored = await lane.db.ops.find({ _id: { $in: [...done.keys()] } }).toArray()
  const ops = stored.map(op => lane.found.get(op._id) ?? op).filter(op => hasFailed(op) || wasFound(op))
  const now = Date.now()
  return ops.map(op => confirm(op, { ...resultOf(done.get(op._id)!), already: true }, now))
}

const wasFound = (op: Op): boolean => op.state === 'CONFIRMED' && op.result.already === true
