import { type Chain, type Draft, hourMs, riskChanged, scoreChanged, scoreSynced, type Tier, tierChanged } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision } from '@carapace/store'
import { Schema } from 'mongoose'
import { formulaVersion, tierOf } from './score.ts'
import type { Standing } from './standing.ts'

export interface ChainScore {
  registered: boolean
  /** ERC-721 id of the agent's identity there. */
  tokenId: string | null
  /** As it was last published. */
  score: number | null
  risk: number | null
  tier: Tier | null
  txHash: string | null
  updatedAt: Date | null
  /** A batch under way. */
  batchId: string | null
  batchScore: number | null
  batchRisk: number | null
}

/** The present standing of an agent, derived from the log; stored for reading and for the networks. */
export interface ScoreDoc extends Standing {
  id: string
  handle: string
  walletKey: string
  wallet: string
  registeredAt: Date
  status: 'active' | 'suspended' | 'migrated'
  platform: boolean
  /** Agents whose facts count here too (inheritance). */
  sources: string[]
  history: { score: number; at: Date }[]
  chains: Record<Chain, ChainScore>
  /** When the networks are updated at the latest; null when they have it. */
  syncDueAt: Date | null
  lastSyncRequestAt: Date | null
  computedAt: Date
}

const historyLength = 100
const syncEveryMs = hourMs

const schema = new Schema<ScoreDoc>({
  handle: String,
  walletKey: String,
  fusedScore: Number,
  totalGigsCompleted: Number,
  registeredAt: Date,
  status: String,
  totalEarned: BigInt,
  syncDueAt: Date,
})
schema.index({ status: 1, fusedScore: -1, totalGigsCompleted: -1, registeredAt: 1 }, { name: 'leaderboard' })
schema.index({ walletKey: 1 }, { name: 'wallet' })
schema.index({ handle: 1 }, { name: 'handle' })
schema.index({ syncDueAt: 1 }, { name: 'sync_due', partialFilterExpression: { syncDueAt: { $type: 'date' } } })
schema.index({ 'chains.BASE_SEPOLIA.batchId': 1 }, { name: 'base_batch' })
schema.index({ 'chains.SKALE_TESTNET.batchId': 1 }, { name: 'skale_batch' })

export type ScoreStore = AggregateStore<ScoreDoc>
export const scoreStore = (db: Database): ScoreStore => aggregateStore<ScoreDoc>(db, { collection: 'scores', resource: 'agent', schema })

/** Replaces the standing and publishes what changed. Without a change nothing is written. */
export function applyStanding(doc: ScoreDoc, standing: Standing, now: Date): Decision<ScoreDoc> | undefined {
  const next = { ...doc, ...standing, computedAt: now }
  if (shown(doc) === shown(next)) return undefined
  const moved = doc.fusedScore !== standing.fusedScore
  const newTier = doc.tier !== standing.tier
  const history = moved ? [{ score: standing.fusedScore, at: now }, ...doc.history].slice(0, historyLength) : doc.history
  const differs = moved || doc.risk.riskScore !== standing.risk.riskScore
  const syncDueAt = differs ? (newTier ? now : (doc.syncDueAt ?? new Date(now.getTime() + syncEveryMs))) : doc.syncDueAt
  return { state: { ...next, history, syncDueAt }, events: changes(doc, next, now) }
}

const shown = ({
  fusedScore,
  risk,
  components,
  badges,
  totalGigsCompleted,
  totalEarned,
  gigCompletionRate,
  penalty,
  decay,
  bond,
}: ScoreDoc): string =>
  JSON.stringify([
    fusedScore,
    risk.riskScore,
    risk.flags,
    risk.recommendation,
    risk.disputeRate,
    risk.slashCount,
    components,
    badges,
    totalGigsCompleted,
    String(totalEarned),
    gigCompletionRate,
    penalty,
    decay,
    bond,
  ])

function changes(before: ScoreDoc, after: ScoreDoc, now: Date): Draft[] {
  const { id: agentId, fusedScore, tier, risk, components, badges, totalGigsCompleted, totalEarned, gigCompletionRate } = after
  const { riskScore, riskLevel } = risk
  const events = [
    scoreChanged.of({
      agentId,
      fusedScore,
      previousScore: before.fusedScore,
      tier,
      riskScore,
      riskLevel,
      components: { ...components },
      badges,
      totalGigsCompleted,
      totalEarned,
      gigCompletionRate,
      formulaVersion,
      computedAt: now.toISOString(),
    }),
  ]
  if (before.tier !== tier) events.push(tierChanged.of({ agentId, tier, previousTier: before.tier, fusedScore }))
  if (before.risk.riskLevel !== riskLevel) events.push(riskChanged.of({ agentId, riskScore, riskLevel, previousLevel: before.risk.riskLevel }))
  return events
}

/** Whether a network has an older standing and no batch carries the present one. */
const needsSync = ({ chains, fusedScore, risk }: ScoreDoc): boolean =>
  Object.values(chains).some(chain => chain.registered && chain.batchId === null && (chain.score !== fusedScore || chain.risk !== risk.riskScore))

/** Puts the agent into a batch, unless one is under way. It stays due for networks that still have an older standing. */
export function startBatch(doc: ScoreDoc, chain: Chain, batchId: string): Decision<ScoreDoc> | undefined {
  const present = doc.chains[chain]
  if (present.batchId !== null) return undefined
  const marked = { ...present, batchId, batchScore: doc.fusedScore, batchRisk: doc.risk.riskScore }
  const state = { ...doc, chains: { ...doc.chains, [chain]: marked } }
  return { state: { ...state, syncDueAt: needsSync(state) ? doc.syncDueAt : null }, events: [] }
}

/** The end of a batch. After a failure the agent waits for the next batch; what changed under way is due at once. */
export function endBatch(doc: ScoreDoc, chain: Chain, batchId: string, txHash: string | null, now: Date): Decision<ScoreDoc> | undefined {
  const present = doc.chains[chain]
  if (present.batchId !== batchId) return undefined
  const idle = { ...present, batchId: null, batchScore: null, batchRisk: null }
  if (txHash === null) {
    const nextBatch = new Date(now.getTime() + syncEveryMs)
    const syncDueAt = doc.syncDueAt && doc.syncDueAt < nextBatch ? doc.syncDueAt : nextBatch
    return { state: { ...doc, syncDueAt, chains: { ...doc.chains, [chain]: idle } }, events: [] }
  }
  const score = present.batchScore ?? doc.fusedScore
  const riskScore = present.batchRisk ?? doc.risk.riskScore
  const tier = tierOf(score)
  const state = { ...doc, chains: { ...doc.chains, [chain]: { ...idle, score, risk: riskScore, tier, txHash, updatedAt: now } } }
  const event = scoreSynced.of({
    agentId: doc.id,
    chain,
    fusedScore: score,
    riskScore,
    tier,
    txHash,
    syncedAt: now.toISOString(),
  })
  return { state: { ...state, syncDueAt: needsSync(state) ? (doc.syncDueAt ?? now) : null }, events: [event] }
}
