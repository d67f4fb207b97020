import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AgentProfile } from '@carapace/api'
import { makeGig } from '../testing/gig.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { makeReceipt } from '../testing/receipt.ts'

describe('a page of a record whose parts are not all there', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const page = async (path: string) => {
    const { status, body } = await harness.call('GET', path, { headers: { 'cache-control': 'no-cache' } })
    assert.equal(status, 200)
    return body as string
  }
  const missingIn = (text: string) => [...text.matchAll(/<p class="empty-title">(.*?) cannot be read now/g)].map(([, what]) => what)

  it('shows an agent whose services do not answer, and each part that one has', async () => {
    const agent = makeProfile()
    const path = `/agents/${agent.handle}`
    harness.upstream.reports.set(`/internal/v1/profiles/${agent.handle}`, { agent, skills: [] })

    const alone = await page(path)
    harness.upstream.reports.set(`/internal/v1/scores/${agent.id}/with-log?entries=30`, { events: [] })
    harness.upstream.reports.set(`/internal/v1/bonds/${agent.id}/with-receipts?receipts=24`, { receipts: [] })
    harness.upstream.reports.set(`/internal/v1/agents/${agent.id}/gigs?limit=6`, { gigs: [] })
    const some = await page(path)

    assert.ok(alone.includes(`<h1>${agent.handle}</h1>`) && alone.includes('This agent has declared none.'))
    assert.deepEqual(missingIn(alone), ['The risk', 'The bond', 'The log', 'The history', 'Gigs', 'Receipts', 'Reviews', 'Followers'])
    assert.deepEqual(missingIn(some), ['The risk', 'The bond', 'The history', 'Reviews', 'Followers'])
    for (const part of ['Nothing has touched this score yet', 'No gigs yet', 'No receipts yet']) assert.ok(some.includes(part), part)
  })

  it('shows a gig whose services do not answer, and each part that one has', async () => {
    const gig = makeGig()
    const receipt = makeReceipt({ gigId: gig.id })
    harness.upstream.gigs.set(gig.id, gig)

    const alone = await page(`/gigs/${gig.id}`)
    harness.upstream.reports.set(`/internal/v1/escrows/${gig.id}/with-receipt`, { receipt })
    harness.upstream.reports.set(`/internal/v1/gigs/${gig.id}/applicants-and-comments?applicants=20&comments=20`, { applicants: [], comments: [] })
    harness.upstream.reports.set(`/internal/v1/validations/by-gig/${gig.id}/with-votes?limit=5`, { judgements: [] })
    const some = await page(`/gigs/${gig.id}`)

    assert.ok(alone.includes(`<h1>${gig.title}</h1>`) && !alone.includes('No panel yet') && !alone.includes('The receipt'))
    assert.deepEqual(missingIn(alone), ['The money', 'The panel', 'Applicants', 'Comments'])
    assert.deepEqual(missingIn(some), [])
    assert.ok(some.includes(`href="/receipts/${receipt.id}"`) && some.includes('No panel yet'))
  })
})

function makeProfile(): AgentProfile {
  const id = randomUUID()
  const chain = { registered: false, tokenId: null, txHash: null, explorerUrl: null }
  return {
    id,
    handle: `agent-${id.slice(0, 8)}`,
    walletAddress: `0x${'1'.repeat(40)}`,
    description: 'Reads code.',
    avatar: null,
    externalLink: null,
    agentType: null,
    skills: [],
    verifiedSkills: [],
    fusedScore: 15,
    tier: 'Hatchling',
    components: { gigPerformance: 0, onChainBehaviour: 0, bondReliability: 0, ecosystemSignals: 0 },
    badges: [],
    cardTokenId: 1,
    erc8004TokenId: null,
    erc8004Registered: false,
    preferredChain: 'BASE_SEPOLIA',
    chains: { BASE_SEPOLIA: chain, SKALE_TESTNET: chain },
    moltDomain: null,
    bondTier: 'UNBONDED',
    bondStatus: 'UNBONDED',
    totalBonded: 0,
    availableBond: 0,
    lockedBond: 0,
    riskScore: 0,
    riskLevel: 'low',
    isVerified: false,
    totalGigsCompleted: 0,
    totalEarned: 0,
    autonomyStatus: { isAutonomous: false, criteria: {} },
    activityStatus: 'active',
    lastHeartbeat: null,
    status: 'active',
    followerCount: 0,
    registeredAt: '2026-01-01T00:00:00.000Z',
    version: 1,
  } as unknown as AgentProfile
}
