import { Refusal, refuse } from '@carapace/api'
import { type Stored, transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from '../parts.ts'
import { post } from '../post.ts'
import { type Bond, noBond } from './bond.ts'
import type { Outcome } from './outcome.ts'

/** The bond of an agent; an empty one when it never had any. @throws NOT_FOUND for an unknown agent */
export async function bondOf(parts: Parts, agentId: string): Promise<Stored<Bond>> {
  const known = await parts.bondNow(agentId)
  if (known) return known
  const { id, wallet, preferredChain, registeredAt } = await parts.agents.need(agentId)
  if (wallet === null) refuse('NOT_FOUND', { resource: 'bond' })
  return { ...noBond({ id, wallet, chain: preferredChain }), version: 0, createdAt: registeredAt, updatedAt: registeredAt }
}

/** As `bondOf`, stored, so that it can be changed. */
async function ensureBond(parts: Parts, agentId: string): Promise<void> {
  const { version, createdAt, updatedAt, ...bond } = await bondOf(parts, agentId)
  if (version > 0) return
  await parts.bonds.create(bond, []).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'ALREADY_EXISTS')) throw error
  })
}

type Decide = (bond: Stored<Bond>) => Outcome | undefined

/** The only way in which a bond changes: state, events, ledger lines and history in one transaction. Undefined = nothing to do. */
export const changeBond = (parts: Parts, agentId: string, decide: Decide): Promise<Stored<Bond>> => changeBondBy(parts, agentId, async () => decide)

/** The same where the decision rests on what the ledger says in that very transaction. */
export async function changeBondBy(parts: Parts, agentId: string, rule: (session: ClientSession) => Promise<Decide>): Promise<Stored<Bond>> {
  const work = async (session: ClientSession) => {
    const decide = await rule(session)
    let done: Outcome | undefined
    const bond = await parts.bonds.change(
      agentId,
      present => {
        done = decide(present)
        return done
      },
      { session },
    )
    if (done) {
      await post(parts, bond.chain, done.postings, session)
      await parts.bondHistory.add(done.history, session)
      await parts.bondFailures.add(done.failures, session)
    }
    return bond
  }
  const change = () => parts.queue.serialize(`bond:${agentId}`, () => transact(parts, work))
  return change().catch(async (error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'NOT_FOUND' && error.extras.details?.resource === 'bond')) throw error
    await ensureBond(parts, agentId)
    return change()
  })
}
