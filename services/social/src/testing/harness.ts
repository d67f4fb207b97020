import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { newTestAgent, openGig, startPlatform, stubPeer, type TestAgent, type TestPlatform, type TestPlatformOptions, until } from '@carapace/testing'
import { social } from '../index.ts'

/** What the marketplace answers to the acceptance of an offer. */
export type HireAnswer = 'accepted' | 'pending' | api.RuleCode

/** The social service over HTTP in process; its peers answer from plain maps, the test publishes the events of escrow and marketplace. */
export interface Harness {
  platform: TestPlatform
  call: TestPlatform['call']
  agents: Map<string, api.AgentRow>
  /** FusedScore by agent; 15 for all others. */
  scores: Map<string, number>
  gigs: Map<string, api.GigRow>
  /** Escrows by gig: where they differ from one that is released and whose payment is not confirmed. */
  escrows: Map<string, Partial<api.EscrowRow>>
  jobs: Map<string, api.JobRow>
  /** What is answered when an offer is accepted. Default: accepted immediately. */
  hire: (messageId: string) => HireAnswer | Promise<HireAnswer>
  /** Messages for which an offer was accepted, in order. */
  hires: string[]
  /** Every event of the social service. */
  published: api.CloudEvent[]
  close(): Promise<void>
}

export async function startHarness(options: TestPlatformOptions = {}): Promise<Harness> {
  const harness = {
    ...{ agents: new Map(), scores: new Map(), gigs: new Map(), escrows: new Map(), jobs: new Map(), hires: [], published: [] },
    hire: () => 'accepted',
  } as unknown as Harness
  const needRow = <T>(row: T | undefined, resource: string): T => row ?? api.refuse('NOT_FOUND', { resource })
  const identity = stubPeer(api.identityApi, {
    getAgentRow: ({ params }) => needRow(harness.agents.get(params.id), 'agent'),
    getAgentRowByHandle: ({ params }) =>
      needRow(
        [...harness.agents.values()].find(agent => agent.handle === params.handle),
        'agent',
      ),
  })
  const reputation = stubPeer(api.reputationApi, { getScoreRow: ({ params }) => scoreRow(params.agentId, harness.scores.get(params.agentId)) })
  const marketplace = stubPeer(api.marketplaceApi, {
    getGigRow: ({ params }) => needRow(harness.gigs.get(params.id), 'gig'),
    hireByMessage: async ({ params, body }) => {
      harness.hires.push(body.messageId)
      const answer = await harness.hire(body.messageId)
      if (answer !== 'accepted' && answer !== 'pending') return api.refuse(answer)
      return { offer: offerOf(params.id, body, answer) }
    },
  })
  const escrow = stubPeer(api.escrowApi, {
    getEscrowRow: ({ params }) => ({ ...escrowRow(params.gigId), ...needRow(harness.escrows.get(params.gigId), 'escrow') }),
  })
  const commerce = stubPeer(api.commerceApi, { getJobRow: ({ params }) => needRow(harness.jobs.get(params.id), 'job') })
  harness.platform = await startPlatform([identity, reputation, marketplace, escrow, commerce, social], options)
  await harness.platform.bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'events', bindings: ['social.#'] }, async event => {
    harness.published.push(event)
  })
  harness.call = harness.platform.call
  harness.close = () => harness.platform.close()
  return harness
}

/** A registered agent, of which the event has come. */
export async function newAgent({ agents, scores, platform }: Harness, { fusedScore = 15 } = {}): Promise<TestAgent> {
  const { agent, registered, row } = newTestAgent()
  agents.set(agent.id, row)
  scores.set(agent.id, fusedScore)
  await platform.publish(registered)
  const { db } = platform.service('social').platform
  await until('the agent is known', () => db.connection.collection<{ _id: string }>('agents').findOne({ _id: agent.id }))
  return agent
}

export const newAgents = (harness: Harness, count: number): Promise<TestAgent[]> =>
  Promise.all(Array.from({ length: count }, () => newAgent(harness)))

/** A gig of this poster, as the marketplace has it. */
export function newGig({ gigs }: Harness, more: Partial<api.GigRow>): api.GigRow {
  const gig = openGig(more)
  gigs.set(gig.gigId, gig)
  return gig
}

const at = '2026-01-01T00:00:00.000Z'

const offerOf = (gigId: string, body: { fromAgentId: string; toAgentId: string; messageId: string }, status: 'accepted' | 'pending') => ({
  ...{ id: body.messageId, gigId, fromAgentId: body.fromAgentId, toAgentId: body.toAgentId, message: null, status },
  ...{ expiresAt: at, createdAt: at, respondedAt: status === 'accepted' ? at : null },
})

const escrowRow = (gigId: string): api.EscrowRow => ({
  ...{ escrowId: gigId, gigId, status: 'released', posterId: gigId, assigneeId: gigId, amount: '1', chain: 'BASE_SEPOLIA' },
  ...{ txHash: null, releaseTxHash: null, settledAt: null, version: 1 },
})

const scoreRow = (agentId: string, fusedScore = 15): api.ScoreRow => ({
  ...{ agentId, fusedScore, riskScore: 0, tier: 'Hatchling', riskLevel: 'low', badges: [], totalGigsCompleted: 0, totalEarned: '0' },
  components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 },
  ...{ gigCompletionRate: 0, formulaVersion: '1', computedAt: at, version: fusedScore * 10 },
})
