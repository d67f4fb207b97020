import { type Chain, chains, limits, type reputationApi, riskLevelOf, usd } from '@carapace/api'
import { explorerOf, networks, perChain, toChecksum } from '@carapace/chain'
import { isBonded, newJudgement } from '@carapace/formula'
import { baseUrlOf, type Handlers } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { findScore, needScore } from '../lookup.ts'
import type { Parts } from '../parts.ts'
import type { ScoreDoc } from '../score.store.ts'

const leaders = 50
const maxDrift = 0.5
const iso = (date: Date | null) => date?.toISOString() ?? null

/** Both known and at most half a point apart. */
export function inSync({ chains: { BASE_SEPOLIA, SKALE_TESTNET } }: ScoreDoc): boolean {
  return BASE_SEPOLIA.score !== null && SKALE_TESTNET.score !== null && Math.abs(BASE_SEPOLIA.score - SKALE_TESTNET.score) <= maxDrift
}

const basicView = ({ id: agentId, fusedScore, tier }: Stored<ScoreDoc>) => ({ agentId, fusedScore, tier })

const onChainView = ({ score, txHash, published = [] }: ScoreDoc['chains'][Chain]) => ({
  score,
  txHash,
  history: published.map(({ at, ...row }) => ({ ...row, at: at.toISOString() })),
})

export const reputationView = (doc: Stored<ScoreDoc>) => ({
  ...basicView(doc),
  components: { ...doc.components },
  onChain: { baseSepolia: onChainView(doc.chains.BASE_SEPOLIA), skale: onChainView(doc.chains.SKALE_TESTNET) },
  history: doc.history.map(({ at, ...row }) => ({ ...row, at: at.toISOString() })),
  ...(doc.inputs ? { inputs: doc.inputs, computedAt: doc.computedAt.toISOString() } : {}),
  formulaVersion: doc.formulaVersion ?? '1',
  penalty: doc.penalty,
  decay: doc.decay,
})

/** Where other contracts read scores on this network; null while it is unknown. */
const adapterOf = ({ networks: reader }: Parts, chain: Chain): Promise<string | null> =>
  reader.contracts(chain).then(
    ({ reputationAdapter }) => reputationAdapter,
    () => null,
  )

export const scoreHandlers = (parts: Parts) =>
  ({
    getReputation: async ({ params, query }) => {
      const doc = await needScore(parts, params.id)
      return query.view === 'basic' ? basicView(doc) : reputationView(doc)
    },

    getScoreAcrossChains: async ({ params }) => {
      const doc = await needScore(parts, params.agentId)
      const view = (chain: Chain) => {
        const { score, tier, txHash, updatedAt, registered } = doc.chains[chain]
        return { score, tier, txHash, updatedAt: iso(updatedAt), registered }
      }
      return { agentId: doc.id, walletAddress: doc.wallet, fusedScore: doc.fusedScore, tier: doc.tier, chains: perChain(view), inSync: inSync(doc) }
    },

    getMostRecentChain: async ({ params }) => {
      const doc = await needScore(parts, params.agentId)
      const synced = chains.filter(chain => doc.chains[chain].updatedAt !== null)
      const latest = synced.sort((a, b) => doc.chains[b].updatedAt!.getTime() - doc.chains[a].updatedAt!.getTime())[0] ?? null
      const view = (chain: Chain) => ({ score: doc.chains[chain].score, updatedAt: iso(doc.chains[chain].updatedAt) })
      return { agentId: doc.id, mostRecentChain: latest, updatedAt: latest ? iso(doc.chains[latest].updatedAt) : null, chains: perChain(view) }
    },

    getSkaleScore: async ({ params }) => {
      const doc = await needScore(parts, params.id)
      const { score, updatedAt, txHash } = doc.chains.SKALE_TESTNET
      return {
        agentId: doc.id,
        skaleScore: score,
        baseSepolia: doc.chains.BASE_SEPOLIA.score,
        inSync: inSync(doc),
        lastSkaleSync: iso(updatedAt),
        txHash,
        contract: updatedAt ? await adapterOf(parts, 'SKALE_TESTNET') : null,
        explorerUrl: txHash ? explorerOf(parts.networks, parts.config, baseUrlOf(parts.config)).tx('SKALE_TESTNET', txHash) : null,
      }
    },

    getLeaderboard: async () => {
      const best = await parts.scores.find(
        { status: 'active', platform: false },
        { sort: { fusedScore: -1, totalGigsCompleted: -1, registeredAt: 1 }, limit: leaders },
      )
      const leaderboard = best.map((doc, at) => ({
        rank: at + 1,
        id: doc.id,
        handle: doc.handle,
        fusedScore: doc.fusedScore,
        tier: doc.tier,
        badge: doc.badges[0] ?? null,
        totalGigsCompleted: doc.totalGigsCompleted,
        gigCompletionRate: doc.gigCompletionRate,
        bondTier: bondTierOf(doc.bond),
        isVerified: Object.values(doc.chains).some(chain => chain.registered),
      }))
      return { leaderboard, updatedAt: parts.clock.now().toISOString() }
    },

    checkEligibility: async ({ query }) => {
      const doc = await findScore(parts, query.wallet)
      const checkedAt = parts.clock.now().toISOString()
      return doc ? eligibilityOf(doc, query, checkedAt, baseUrlOf(parts.config)) : { ...stranger, wallet: toChecksum(query.wallet), checkedAt }
    },

    getScoreRow: async ({ params }) => scoreRow(await needScore(parts, params.agentId)),
  }) satisfies Handlers<typeof reputationApi>

const bondStatusOf = (bond: number): 'BONDED' | 'UNBONDED' => (isBonded(bond) ? 'BONDED' : 'UNBONDED')
export const bondTierOf = (bond: number) => (bond >= usd(limits.bond.highMicro) ? 'HIGH_BOND' : bondStatusOf(bond))

export const scoreRow = (doc: Stored<ScoreDoc>) => ({
  agentId: doc.id,
  fusedScore: doc.fusedScore,
  tier: doc.tier,
  riskScore: doc.risk.riskScore,
  riskLevel: doc.risk.riskLevel,
  judgement: doc.judgement ?? newJudgement,
  components: { ...doc.components },
  badges: doc.badges,
  totalGigsCompleted: doc.totalGigsCompleted,
  totalEarned: String(doc.totalEarned),
  gigCompletionRate: doc.gigCompletionRate,
  formulaVersion: doc.formulaVersion ?? '1',
  computedAt: doc.computedAt.toISOString(),
  version: doc.version,
})

/** A wallet that nobody has registered. */
const stranger = {
  eligible: false,
  fusedScore: 0,
  tier: null,
  riskIndex: 0,
  riskLevel: 'low' as const,
  bondStatus: 'UNBONDED' as const,
  chain: null,
  reasons: ['Wallet is not registered'],
  standard: 'ERC-8004' as const,
  passportUrl: null,
  erc8004TokenId: null,
}

function eligibilityOf(doc: Stored<ScoreDoc>, { minScore, maxRisk }: { minScore: number; maxRisk: number }, checkedAt: string, base: string) {
  const reasons = [
    ...(doc.fusedScore < minScore ? [`FusedScore ${doc.fusedScore} is below the required ${minScore}`] : []),
    ...(doc.risk.riskScore > maxRisk ? [`Risk ${doc.risk.riskScore} is above the allowed ${maxRisk}`] : []),
    ...(doc.status === 'active' ? [] : [`Agent is ${doc.status}`]),
  ]
  const native = chains.find(chain => doc.chains[chain].registered) ?? 'BASE_SEPOLIA'
  return {
    eligible: reasons.length === 0,
    wallet: doc.wallet,
    fusedScore: doc.fusedScore,
    tier: doc.tier,
    riskIndex: doc.risk.riskScore,
    riskLevel: riskLevelOf(doc.risk.riskScore),
    bondStatus: bondStatusOf(doc.bond),
    chain: networks[native].chain,
    reasons,
    checkedAt,
    standard: 'ERC-8004' as const,
    passportUrl: `${base}/api/agents/${doc.id}`,
    erc8004TokenId: doc.chains[native].tokenId,
  }
}
