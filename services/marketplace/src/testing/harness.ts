import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { newTestAgent, startPlatform, stubPeer, type TestAgent, type TestPlatform } from '@carapace/testing'
import { marketplace } from '../index.ts'

type GigDecision = Pick<api.PayloadOf<typeof api.escrowDecided>, 'outcome' | 'reason' | 'verdict'>
type BondAnswer = 'confirmed' | 'pending' | api.RuleCode

/** The marketplace over HTTP in process; its peers answer from plain maps, the test publishes the events of escrow and swarm. */
export interface Harness {
  platform: TestPlatform
  call: TestPlatform['call']
  agents: Map<string, api.AgentRow>
  /** FusedScore and risk by agent; 15 and 0 for all others. */
  scores: Map<string, { fusedScore: number; riskScore: number }>
  /** What the escrow answers when a bond is to be locked. Default: confirmed immediately. */
  lockBond: () => BondAnswer | Promise<BondAnswer>
  /** What the escrow answers that it has decided, by gig; nothing for all others. */
  decisions: Map<string, GigDecision>
  /** What the swarm answers about the validation of a delivered gig. Default: it is away. */
  validation: (gigId: string) => api.ValidationRow
  /** Released locks, as `<agent>/<gig>`. */
  unlocked: string[]
  close(): Promise<void>
}

export async function startHarness(): Promise<Harness> {
  const harness = {
    agents: new Map(),
    scores: new Map(),
    decisions: new Map(),
    lockBond: () => 'confirmed',
    validation: away,
    unlocked: [],
  } as unknown as Harness
  const needRow = (row: api.AgentRow | undefined) => row ?? api.refuse('NOT_FOUND', { resource: 'agent' })
  const identity = stubPeer(api.identityApi, {
    getAgentRow: ({ params }) => needRow(harness.agents.get(params.id)),
    getAgentRowByHandle: ({ params }) => needRow([...harness.agents.values()].find(agent => agent.handle === params.handle)),
  })
  const reputation = stubPeer(api.reputationApi, { getScoreRow: ({ params }) => scoreRow(params.agentId, harness.scores.get(params.agentId)) })
  const decisionsOf = (gigId: string) => {
    const decision = harness.decisions.get(gigId)
    return decision ? [{ gigId, ...decision }] : []
  }
  const escrow = stubPeer(api.escrowApi, {
    lockBondForGig: async ({ body }) => {
      const answer = await harness.lockBond()
      if (answer !== 'confirmed' && answer !== 'pending') return api.refuse(answer)
      return { status: answer, amount: body.amount, txHash: null }
    },
    listGigDecisions: ({ body }) => ({ decisions: body.gigIds.flatMap(gigId => decisionsOf(gigId)) }),
    unlockBondForGig: ({ params }) => {
      harness.unlocked.push(`${params.agentId}/${params.gigId}`)
      return { status: 'unlocked' as const }
    },
  })
  const swarm = stubPeer(api.swarmApi, { openValidation: ({ params }) => harness.validation(params.gigId) })
  harness.platform = await startPlatform([identity, reputation, escrow, swarm, marketplace])
  harness.call = harness.platform.call
  harness.close = () => harness.platform.close()
  return harness
}

const away = () => api.refuse('DEPENDENCY_UNAVAILABLE')

const components = { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 }
function scoreRow(agentId: string, { fusedScore, riskScore } = { fusedScore: 15, riskScore: 0 }): api.ScoreRow {
  return {
    agentId,
    fusedScore,
    riskScore,
    tier: fusedScore >= 50 ? 'Silver Molt' : 'Hatchling',
    riskLevel: riskScore > 60 ? 'high' : 'low',
    components,
    badges: [],
    totalGigsCompleted: 0,
    totalEarned: '0',
    gigCompletionRate: 0,
    formulaVersion: '1',
    computedAt: '2026-01-01T00:00:00.000Z',
    version: fusedScore * 100 + riskScore,
  }
}

/** An agent that only its owner knows yet: no event has come. */
export function newAgent({ agents, scores }: Harness, { fusedScore = 15, riskScore = 0 } = {}): TestAgent {
  const { agent, row } = newTestAgent({ skills: ['solidity'] })
  agents.set(agent.id, row)
  scores.set(agent.id, { fusedScore, riskScore })
  return agent
}

export const draft = { title: 'Audit a vault', description: 'Read it, report.', budget: 40 }
export const stranger = randomUUID()
