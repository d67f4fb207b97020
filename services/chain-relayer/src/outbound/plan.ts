import type { QueuedOp } from '../lane/records.ts'

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
