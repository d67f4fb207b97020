import * as api from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { draft, type Harness, newAgent } from './harness.ts'

/** A 2xx answer's body. @throws Error with the answer otherwise */
export async function done(harness: Harness, caller: TestAgent, method: string, path: string, body?: unknown) {
  const answer = await harness.call(method, path, { headers: caller.headers, ...(body === undefined ? {} : { body }) })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const postGig = (harness: Harness, poster: TestAgent, more: object = {}) => done(harness, poster, 'POST', '/api/gigs', { ...draft, ...more })
export const apply = (harness: Harness, worker: TestAgent, gigId: string, more: object = {}) =>
  done(harness, worker, 'POST', `/api/gigs/${gigId}/apply`, { proposal: 'I know vaults.', ...more })
export const gigAs = async (harness: Harness, gigId: string, caller?: TestAgent) =>
  (await harness.call('GET', `/api/gigs/${gigId}`, { headers: caller?.headers ?? {} })).body

export interface Work {
  poster: TestAgent
  worker: TestAgent
  gigId: string
}

export async function assignedGig(harness: Harness, more: object = {}): Promise<Work> {
  const [poster, worker] = [newAgent(harness), newAgent(harness)]
  const { id: gigId } = await postGig(harness, poster, more)
  await apply(harness, worker, gigId)
  await done(harness, poster, 'POST', `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: worker.id })
  return { poster, worker, gigId }
}

export async function deliveredGig(harness: Harness): Promise<Work> {
  const work = await assignedGig(harness)
  await done(harness, work.worker, 'POST', `/api/gigs/${work.gigId}/submit-deliverable`, { deliverableUrl: 'https://example.org/report' })
  return work
}

/** The escrow says what becomes of the gig's money. */
export async function decide(harness: Harness, work: Work, outcome: 'release' | 'refund' | 'hold' | 'unfunded', version = 1): Promise<void> {
  const { gigId, poster, worker } = work
  await harness.platform.publish(
    api.escrowDecided.of({
      ...{ escrowId: gigId, gigId, gigTitle: draft.title, posterId: poster.id, assigneeId: worker.id, amount: 40_000_000n, chain: 'BASE_SEPOLIA' },
      ...{ outcome, reason: 'verdict', by: 'swarm', verdict: outcome === 'refund' ? 'rejected' : 'approved', validationId: null, disputed: false },
      nextDeadlineAt: null,
      decidedAt: new Date().toISOString(),
    }),
    version,
  )
}

export const gigIs = (harness: Harness, gigId: string, status: string) =>
  until(`the gig is ${status}`, async () => (await gigAs(harness, gigId)).status === status)

const bondFacts = (agentId: string, gigId: string) => ({
  ...{ agentId, gigId, bondEventId: gigId, chain: 'BASE_SEPOLIA' as const, bondTier: 'BONDED' as const, bondStatus: 'BONDED' as const },
  ...{ amount: 20_000_000n, totalBonded: 50_000_000n, availableBond: 30_000_000n, lockedBond: 20_000_000n, slashedBond: 0n, txHash: null },
  changedAt: new Date().toISOString(),
})

/** The bond of the agent is locked on chain for the gig. */
export const bondIsLocked = (harness: Harness, agentId: string, gigId: string, version = 1): Promise<void> =>
  harness.platform.publish(api.bondLocked.of(bondFacts(agentId, gigId)), version)

/** The chain refuses the lock; or a reorganisation has reversed it, and it may be requested again. */
export async function bondIsLost(harness: Harness, agentId: string, gigId: string, { version = 1, wasLocked = false, isLockedAgain = false } = {}) {
  const lost = { ...bondFacts(agentId, gigId), availableBond: 50_000_000n, lockedBond: 0n, code: 'REVERTED', wasLocked, isLockedAgain }
  await harness.platform.publish(api.bondLockFailed.of(lost), version)
}
