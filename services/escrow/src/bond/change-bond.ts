import { Refusal, refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { type Bond, type BondLock, noBond } from './bond.ts'
import type { BondDecision } from './bond-decision.ts'

/** The bond of an agent; an empty one when it never had any. @throws NOT_FOUND for an unknown agent */
export async function bondOf(parts: Parts, agentId: string): Promise<Stored<Bond>> {
  const bond = await parts.bondNow(agentId)
  if (bond) return bond
  const { id, wallet, preferredChain, registeredAt } = await parts.agents.need(agentId)
  if (wallet === null) refuse('NOT_FOUND', { resource: 'bond' })
  return { ...noBond({ id, wallet, chain: preferredChain }), version: 0, createdAt: registeredAt, updatedAt: registeredAt }
}

export const lockOf = async ({ bonds }: Pick<Parts, 'bonds'>, agentId: string, gigId: string): Promise<BondLock | undefined> =>
  (await bonds.get(agentId))?.locks.find(lock => lock.gigId === gigId)

/** As `bondOf`, stored, so that it can be changed. */
async function ensureBond(parts: Parts, agentId: string): Promise<void> {
  const { version, createdAt, updatedAt, ...bond } = await bondOf(parts, agentId)
  if (version > 0) return
  await parts.bonds.createOnce(agentId, () => ({ state: bond, events: [] }))
}

const queueOf = (agentId: string): string => `bond:${agentId}`
/** Changes of this bond that wait in the queue of this process. */
export const waitingChanges = ({ queue }: Parts, agentId: string): number => queue.waiting(queueOf(agentId))

type Decide = (bond: Stored<Bond>) => BondDecision | undefined

/** The only way in which a bond changes: state, events, ledger lines and history together. `decide` answers undefined where nothing is to be done. */
export function changeBond(parts: Parts, agentId: string, decide: Decide): Promise<Stored<Bond>> {
  const change = () => parts.queue.serialize(queueOf(agentId), () => parts.bonds.change(agentId, decide))
  return change().catch(async (error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'NOT_FOUND' && error.extras.details?.resource === 'bond')) throw error
    await ensureBond(parts, agentId)
    return change()
  })
}
