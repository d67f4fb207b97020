import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { dayMs } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import {
  commandConfirmed,
  laneStatus,
  newTestAgent,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestAgent,
  type TestPlatform,
  until,
} from '@carapace/testing'
import { swarm } from '../index.ts'

/** The swarm over HTTP in process; its peers answer from plain maps, the chain answers every command as `chain` configures. */
export interface Harness {
  platform: TestPlatform
  call: TestPlatform['call']
  gigs: Map<string, api.GigRow>
  jobs: Map<string, api.JobRow>
  /** Status of the escrow by gig; none when it is missing. */
  escrows: Map<string, api.EscrowStatus>
  /** Every command in the order it came. */
  commands: api.ChainCommand[]
  /** Default: confirms immediately. */
  chain: () => 'confirm' | 'wait'
  claims: string[]
  /** What the escrow answers about a claim. Default: its payment is under way. */
  claim: (request: ClaimRequest) => ClaimAnswer
  /** What the escrow answers when it is sent the end of a validation. Default: that it knows it. */
  verdict: (request: VerdictRequest) => Record<string, unknown>
  /** What the escrow answers about the rewards of a validation. Default: nothing is funded yet. */
  funding: (request: FundingRequest) => FundingAnswer
  close(): Promise<void>
}

type ClaimRequest = api.BodyOf<typeof api.escrowApi.internal.payRewardClaim>
type VerdictRequest = api.BodyOf<typeof api.escrowApi.internal.noteVerdict>
type FundingRequest = api.BodyOf<typeof api.escrowApi.internal.fundRewards>
type FundingAnswer = api.ResponseOf<typeof api.escrowApi.internal.fundRewards>
export type ClaimAnswer = api.ResponseOf<typeof api.escrowApi.internal.payRewardClaim>

export const stranger = randomUUID()
export const budget = 40_000_000n
export const oracle = { 'x-admin-wallet': toChecksum(`0x${'0a'.repeat(20)}`) }

/** @param validators agents, other than the parties, that may judge */
export async function startHarness(validators: number): Promise<Harness & { validators: TestAgent[] }> {
  const maps = { gigs: new Map(), jobs: new Map(), escrows: new Map(), commands: [], claims: [] }
  const harness = { ...maps, chain: () => 'confirm', claim: underWay, funding: unfunded, verdict: () => ({}) } as unknown as Harness & {
    validators: TestAgent[]
  }
  const nobody = () => api.refuse('NOT_FOUND', { resource: 'agent' })
  const identity = stubPeer(api.identityApi, { getAgentRow: nobody, getAgentRowByHandle: nobody })
  const reputation = stubPeer(api.reputationApi, { getScoreRow: nobody })
  const marketplace = stubPeer(api.marketplaceApi, {
    getGigRow: ({ params }) => harness.gigs.get(params.id) ?? api.refuse('NOT_FOUND', { resource: 'gig' }),
  })
  const commerce = stubPeer(api.commerceApi, {
    getJobRow: ({ params }) => harness.jobs.get(params.id) ?? api.refuse('NOT_FOUND', { resource: 'job' }),
  })
  const escrow = stubPeer(api.escrowApi, {
    getEscrowRow: ({ params: { gigId } }) => {
      const status = harness.escrows.get(gigId) ?? api.refuse('NOT_FOUND', { resource: 'escrow' })
      const facts = { escrowId: gigId, gigId, posterId: stranger, assigneeId: null, amount: String(budget), chain: 'BASE_SEPOLIA' as const }
      return { ...facts, status, txHash: null, releaseTxHash: null, settledAt: null, version: 1 }
    },
    payRewardClaim: ({ body }) => harness.claim(body),
    fundRewards: ({ body }) => harness.funding(body),
    noteVerdict: ({ body }) => harness.verdict(body),
  })
  const relayer = stubPeer(api.chainRelayerApi, {
    chainStatus: ({ params }) => laneStatus(params.chain, oracle['x-admin-wallet']),
    chainNetworks: () => ({ networks: [] }),
  })
  const platform = await startPlatform([identity, reputation, marketplace, commerce, escrow, relayer, swarm])
  const consumers = [
    await receiveCommands(platform.bus, async command => {
      harness.commands.push(command)
      if (harness.chain() === 'confirm') await platform.publish(commandConfirmed(command))
    }),
    await platform.bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'events', bindings: [api.rewardClaimRequested.type] }, async event => {
      harness.claims.push(event.subject)
    }),
  ]
  Object.assign(harness, {
    platform,
    call: platform.call,
    close: async () => {
      for (const consumer of consumers) await consumer.close()
      await platform.close()
    },
  })
  harness.validators = await Promise.all(Array.from({ length: validators }, () => newAgent(harness)))
  return harness
}

const unfunded: Harness['funding'] = () => ({ isOver: false, rewards: [] })
export const underWay: Harness['claim'] = ({ round, rewards }) => ({ status: 'claiming', round, version: 1, txHash: null, rewards, isFinal: false })

/** An agent that the swarm has projected. */
export async function newAgent({ platform, call }: Harness, { ageDays = 10, score = 15 } = {}): Promise<TestAgent> {
  const { agent, registered } = newTestAgent({ registeredAt: new Date(Date.now() - ageDays * dayMs) })
  await platform.publish(registered)
  if (score !== 15) await platform.publish(scoreIs(agent.id, score))
  await until('the agent is known', async () => (await call('GET', `/api/agents/${agent.id}/swarm/pending-votes`)).status === 200)
  return agent
}

const scoreIs = (agentId: string, fusedScore: number) =>
  api.scoreChanged.of({ agentId, fusedScore, tier: 'Hatchling', riskScore: 0, riskLevel: 'low' } as never)
