import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { openGig, type TestAgent, until } from '@carapace/testing'
import { budget, type Harness, newAgent } from './harness.ts'

/** A delivered gig whose validation is open. */
export interface Case {
  gigId: string
  poster: TestAgent
  assignee: TestAgent
  validationId: string
  panel: string[]
}

/** The gig as its owner has it. */
export function deliveredGig(harness: Harness, poster: TestAgent, assignee: TestAgent, more: Partial<api.GigRow> = {}): api.GigRow {
  const at = new Date().toISOString()
  const gig = openGig({
    ...{ status: 'pending_validation', posterId: poster.id, assigneeId: assignee.id, applicantIds: [assignee.id] },
    ...{ budget: String(budget), feeBp: 300, assignedAt: at, deadlineAt: at, submissionId: randomUUID(), submittedAt: at },
    ...{ deliverableUrl: 'https://example.org/r', deliverableHash: `0x${'aa'.repeat(32)}`, version: 3, ...more },
  })
  harness.gigs.set(gig.gigId, gig)
  return gig
}

export const submitted = (gig: api.GigRow) =>
  api.gigSubmitted.of({
    ...{
      gigId: gig.gigId,
      gigTitle: gig.gigTitle,
      posterId: gig.posterId,
      budget: BigInt(gig.budget),
      chain: gig.chain,
      assigneeId: gig.assigneeId!,
    },
    ...{ crewId: null, memberIds: [], submissionId: gig.submissionId!, skillsRequired: [], applicantIds: gig.applicantIds },
    ...{ deliverableUrl: gig.deliverableUrl, deliverableHash: gig.deliverableHash!, disputed: false, submittedAt: gig.submittedAt! },
  })

/** The escrow's decision about a gig; without more it is the release that a verdict causes. */
export const decided = ({ gigId, poster, assignee }: Case, more: Partial<api.PayloadOf<typeof api.escrowDecided>> = {}) =>
  api.escrowDecided.of({
    ...{ escrowId: gigId, gigId, gigTitle: 'Audit', posterId: poster.id, assigneeId: assignee.id, amount: budget, chain: 'BASE_SEPOLIA' },
    ...{ outcome: 'release', reason: 'verdict', by: 'swarm', verdict: 'approved', validationId: null, disputed: false, nextDeadlineAt: null },
    decidedAt: new Date().toISOString(),
    ...more,
  })
/** It decided without the panel. */
export const ordered = (found: Case, outcome: 'release' | 'refund' | 'unfunded') =>
  decided(found, { outcome, reason: 'dispute', by: 'oracle', verdict: null })

export const validationsOf = async (harness: Harness, gigId: string) =>
  (await harness.call('GET', `/api/swarm/validations?gigId=${gigId}`)).body.validations
export const read = async (harness: Harness, id: string) => (await harness.call('GET', `/api/swarm/validations/${id}`)).body
export const seated = (validation: { validators: { id: string; replaced: boolean }[] }) =>
  validation.validators.filter(seat => !seat.replaced).map(seat => seat.id)

export async function openCase(harness: Harness, more: Partial<api.GigRow> = {}): Promise<Case> {
  const [poster, assignee] = [await newAgent(harness), await newAgent(harness)]
  const gig = deliveredGig(harness, poster, assignee, more)
  await harness.platform.publish(submitted(gig))
  const [validation] = await until('the validation is open', async () => {
    const found = await validationsOf(harness, gig.gigId)
    return found.length > 0 && found
  })
  return { gigId: gig.gigId, poster, assignee, validationId: validation.id, panel: seated(validation) }
}

export type Voted = Awaited<ReturnType<Harness['call']>>

export const vote = (harness: Harness, validationId: string, voterId: string, choice: 'approve' | 'reject', headers: object = {}): Promise<Voted> =>
  harness.call('POST', '/api/swarm/vote', {
    body: { validationId, voterId, vote: choice, reasoning: 'because' },
    headers: { 'x-agent-id': voterId, 'x-wallet-address': '0x1', ...headers },
  })

/** The first so many of the panel vote alike. */
export async function votes(
  harness: Harness,
  { validationId, panel }: Pick<Case, 'validationId' | 'panel'>,
  count: number,
  choice: 'approve' | 'reject',
) {
  for (const voterId of panel.slice(0, count)) {
    const { status, body } = await vote(harness, validationId, voterId, choice)
    if (status !== 200) throw new Error(`vote: ${status} ${JSON.stringify(body)}`)
  }
}

/** A crew with these joined members: rejections of two of them freeze. */
export const crewOf = (harness: Harness, members: readonly string[]) =>
  harness.platform.publish(
    api.crewChanged.of({
      ...{ crewId: randomUUID(), name: 'Shells', handle: `c-${randomUUID().slice(0, 8)}`, leadAgentId: members[0]!, crewScore: 15, invited: [] },
      ...{ members: members.map(agentId => ({ agentId, role: 'CODER', status: 'joined', joinedAt: new Date().toISOString() })), dissolved: false },
    } as never),
  )
