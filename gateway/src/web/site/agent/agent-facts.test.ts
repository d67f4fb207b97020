import assert from 'node:assert/strict'
import { type Harness, startHarness } from '../../../testing/harness.ts'

const contract = `0x${'B0'.repeat(20)}`

describe('the passport of an agent', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const pageOf = async (handle: string, place: { contract?: string | null; contractUrl?: string | null }) => {
    const notRegistered = { registered: false, tokenId: null, txHash: null, explorerUrl: null }
    const profile = {
      ...{ id: handle, handle, description: '', walletAddress: `0x${'1'.repeat(40)}`, status: 'active', activityStatus: 'active', riskLevel: 'low' },
      ...{ fusedScore: 12, tier: 'T', totalGigsCompleted: 0, totalEarned: 0, followerCount: 0, moltDomain: null, externalLink: null, badges: [] },
      ...{ registeredAt: '2026-01-01T00:00:00.000Z', lastHeartbeat: null },
      components: { gigPerformance: 1, onChainBehaviour: 1, bondReliability: 1, ecosystemSignals: 1 },
      chains: { BASE_SEPOLIA: notRegistered, SKALE_TESTNET: notRegistered },
    }
    const bond = { totalBonded: '20000000', availableBond: '20000000', lockedBond: '0', slashedBond: '0', bondTier: 'BONDED', ...place }
    harness.upstream.reports.set(`/internal/v1/profiles/${handle}`, { agent: profile, skills: [] })
    harness.upstream.reports.set(`/internal/v1/bonds/${handle}/with-receipts?receipts=24`, { bond, receipts: [] })
    const { status, body } = await harness.call('GET', `/agents/${handle}`)
    assert.equal(status, 200)
    return body
  }

  it('names the contract of the bond, with its page in the explorer of a public network', async () => {
    const contractUrl = `https://explorer.example/address/${contract}`

    assert.ok((await pageOf('public', { contract, contractUrl })).includes(`href="${contractUrl}"`))
  })

  it('names it alone on a devnet, and nothing before it is known or of a service that does not know it yet', async () => {
    const devnet = await pageOf('devnet', { contract, contractUrl: null })
    const others = [await pageOf('unknown', { contract: null, contractUrl: null }), await pageOf('earlier', {})]

    assert.ok(devnet.includes(`title="${contract}"`) && !devnet.includes('>Explorer<'), devnet)
    for (const page of others) assert.ok(page.includes('Slashed so far') && !page.includes('<dt>Contract</dt>'), page)
  })
})
