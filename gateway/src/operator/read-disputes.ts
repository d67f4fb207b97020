import { type Chain, commerceApi, escrowApi, marketplaceApi, swarmApi } from '@carapace/api'
import type { Entry, Get } from './read.ts'

/** A gig or a job that its parties dispute, with what both say. */
export interface Dispute {
  kind: 'gig' | 'job'
  id: string
  title: string
  /** Whole USDC. */
  amount: number
  chain: Chain | null
  poster: Party
  assignee: Party
  wanted: string
  milestones: readonly string[]
  deliverable: { url: string | null; note: string | null }
  reason: string | null
  /** Agent that disputed it; null where the platform did. */
  by: string | null
  /** When time alone decides. */
  decidedAt: string | null
  panels: readonly { validation: Entry; votes: readonly Entry[] }[]
}

export interface Party {
  id: string | null
  handle: string | null
}

export interface Disputes {
  items: readonly Dispute[]
  from: number
  /** Where the next ones begin; null after the last. */
  next: number | null
}

/** Each is read from three services, so a page has few of them. */
const shown = 10
const { listGigs, getGig } = marketplaceApi.endpoints
const { listJobs } = commerceApi.endpoints
const { getValidation, listValidations, listVotes } = swarmApi.endpoints

/** Disputed jobs and gigs, some of them from one on. */
export async function disputes(get: Get, from: number): Promise<Disputes> {
  const query = `?status=disputed&limit=${shown + 1}&offset=${from}`
  const [gigs, { jobs }] = await Promise.all([get('marketplace', listGigs, {}, query), get('commerce', listJobs, {}, query)])
  const items = await Promise.all([
    ...(jobs as Entry[]).slice(0, shown).map(job => ofJob(get, job)),
    ...(gigs as Entry[]).slice(0, shown).map(({ id }: Entry) => ofGig(get, id)),
  ])
  return { items, from, next: Math.max(gigs.length, jobs.length) > shown ? from + shown : null }
}

async function ofGig(get: Get, id: string): Promise<Dispute> {
  const [gig, escrow, { validations }] = await Promise.all([
    get('marketplace', getGig, { id }),
    get('escrow', escrowApi.endpoints.getEscrow, { gigId: id }),
    get('swarm', listValidations, {}, `?gigId=${id}`),
  ])
  return {
    ...{ kind: 'gig', id, title: gig.title, amount: escrow.amount, chain: gig.chain ?? null },
    ...{ poster: party(gig.posterId, gig.poster), assignee: party(gig.assigneeId, gig.assignee) },
    ...{ wanted: gig.description, milestones: gig.milestones ?? [] },
    deliverable: { url: gig.deliverable?.url ?? null, note: gig.deliverable?.note ?? null },
    ...{ reason: escrow.disputeReason ?? null, by: escrow.disputedBy ?? null, decidedAt: escrow.nextDeadline?.at ?? null },
    panels: await panelsOf(get, validations),
  }
}

async function ofJob(get: Get, job: Entry): Promise<Dispute> {
  const validations = job.validationId ? [await get('swarm', getValidation, { id: job.validationId })] : []
  return {
    ...{ kind: 'job', id: job.id, title: job.title, amount: job.budgetUsdc, chain: job.chain },
    ...{ poster: party(job.posterAgentId, job.poster), assignee: party(job.assigneeAgentId, job.assignee) },
    ...{ wanted: job.description, milestones: [] },
    deliverable: { url: job.deliverableUrl, note: job.deliverableNote },
    ...{ reason: job.disputeReason, by: job.disputedBy, decidedAt: job.nextDeadline?.at ?? null },
    panels: await panelsOf(get, validations),
  }
}

const party = (id: string | null | undefined, agent: Entry | null | undefined): Party => ({ id: id ?? null, handle: agent?.handle ?? null })

const panelsOf = (get: Get, validations: readonly Entry[]): Promise<Dispute['panels']> =>
  Promise.all(
    validations.map(async listed => {
      const [validation, { votes }] = await Promise.all([
        // a list is the same for all: what an appeal says is only in the answer to those concerned
        listed.appealId ? get('swarm', getValidation, { id: listed.id }) : listed,
        get('swarm', listVotes, { id: listed.id }),
      ])
      return { validation, votes }
    }),
  )
