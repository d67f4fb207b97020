import { type Chain, type Draft, hourMs, riskChanged, scoreChanged, scoreSynced, tierChanged } from '@carapace/api'
import { followOutcome, type ObservedOutcome, type OnChain, sentOnChain } from '@carapace/chain'
import { currentVersion, type FormulaVersion, type Inputs, newJudgement, type Tier, tierOf, type Vouching } from '@carapace/formula'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import type { Standing } from './standing.ts'

export interface ChainScore {
  registered: boolean
  /** ERC-721 id of the agent's identity there. */
  tokenId: string | null
  /** Version of the agent that this is from. Absent in records from before it was stored. */
  agentVersion?: number
  /** As it was last published. */
  score: number | null
  risk: number | null
  tier: Tier | null
  txHash: string | null
  updatedAt: Date | null
  /** What was published there, newest first. Absent in records from before it was stored. */
  published?: { score: number; at: Date; txHash: string }[]
  /** A batch under way. */
  batchId: string | null
  batchScore: number | null
  batchRisk: number | null
  /** Of the command of the last batch. Absent in records from before it was stored, null when there was none. */
  onChain?: (OnChain & { batchId: string }) | null
}

/** A score that was published. Formula and inputs are absent in rows from before they were stored. */
export interface HistoryRow {
  score: number
  at: Date
  formulaVersion?: FormulaVersion
  inputs?: Inputs
}

/** The present standing of an agent, derived from the log; stored for reading and for the networks. */
export interface ScoreDoc extends Standing {
  id: string
  handle: string
  walletKey: string
  wallet: string
  registeredAt: Date
  status: 'active' | 'suspended' | 'migrated'
  /** Version of the agent that `status` and `wallet` are of. Absent until they change, and in records from before it was stored. */
  agentVersion?: number
  platform: boolean
  /** Agents whose facts count here too (inheritance). */
  sources: string[]
  history: HistoryRow[]
  /** What the standing was computed from. Absent in records from before it was stored. */
  inputs?: Inputs
  chains: Record<Chain, ChainScore>
  /** When the networks are updated at the latest; null when they have it. */
  syncDueAt: Date | null
  lastSyncRequestAt: Date | null
  computedAt: Date
}

const historyLength = 100
const publishedLength = 50
const syncEveryMs = hourMs

const indexes: Indexes = {
  leaderboard: { key: { status: 1, fusedScore: -1, totalGigsCompleted: -1, registeredAt: 1 } },
  wallet: { key: { walletKey: 1 } },
  handle: { key: { handle: 1 } },
  vouching: { key: { vouches: 1 }, partialFilterExpression: { vouches: true } },
  sync_due: { key: { syncDueAt: 1 }, partialFilterExpression: { syncDueAt: { $type: 'date' } } },
  base_batch: { key: { 'chains.BASE_SEPOLIA.batchId': 1 } },
  skale_batch: { key: { 'chains.SKALE_TESTNET.batchId': 1 } },
  base_last_batch: { key: { 'chains.BASE_SEPOLIA.onChain.batchId': 1 } },
  skale_last_batch: { key: { 'chains.SKALE_TESTNET.onChain.batchId': 1 } },
}

const collection = 'scores'

export type ScoreStore = AggregateStore<ScoreDoc>
export const scoreStore = (db: Database): ScoreStore => aggregateStore<ScoreDoc>(db, { collection, resource: 'agent', indexes, optimistic: true })

/** What is stored of agents for facts of their counterparties, and nothing else of them; without those of early records. */
export async function storedVouching({ connection }: Pick<Database, 'connection'>, ids: readonly string[]): Promise<[string, Vouching][]> {
  const scores = connection.collection<{ _id: string; vouching?: Vouching }>(collection)
  const rows = await scores.find({ _id: { $in: [...ids] } }, { projection: { vouching: 1 } }).toArray()
  return rows.flatMap(({ _id: id, vouching }): [string, Vouching][] => (vouching ? [[id, vouching]] : []))
}

/** Scores whose last batch to the network is this one. */
export const inBatch = (chain: Chain, batchId: string) => ({
  $or: [{ [`chains.${chain}.batchId`]: batchId }, { [`chains.${chain}.onChain.batchId`]: batchId }],
})

/** Replaces the standing and publishes what changed of what is shown. Without a change nothing is written. */
export function applyStanding(doc: ScoreDoc, standing: Standing, now: Date, inputsOf: () => Inputs): Decision<ScoreDoc> | undefined {
  // an agent that has vouched once has reached that for good
  const next = { ...doc, ...standing, vouches: doc.vouches === true || standing.vouches === true, computedAt: now }
  const isShownOtherwise = shown(doc) !== shown(next)
  if (!isShownOtherwise && unshown(doc) === unshown(next)) return undefined
  const inputs = inputsOf()
  const moved = doc.fusedScore !== standing.fusedScore
  const newTier = doc.tier !== standing.tier
  const row = { score: standing.fusedScore, at: now, formulaVersion: standing.formulaVersion ?? currentVersion, inputs }
  const history = moved ? [row, ...doc.history].slice(0, historyLength) : doc.history
  const differs = moved || doc.risk.riskScore !== standing.risk.riskScore
  const syncDueAt = differs ? (newTier ? now : (doc.syncDueAt ?? new Date(now.getTime() + syncEveryMs))) : doc.syncDueAt
  return { state: { ...next, inputs, history, syncDueAt }, events: isShownOtherwise ? changes(doc, next, now) : [] }
}

/** What is stored and not shown with the score. */
const unshown = ({ formulaVersion, shadow, vouches, vouching }: ScoreDoc): string =>
  JSON.stringify([formulaVersion, shadow?.formulaVersion, shadow?.fusedScore, vouches === true, vouching && coarse(vouching)])

/** A write for each millionth would be one more for each payment. A tenth of a standing counts as a change, and 0.02 of the credit that payers gain by. */
const coarse = ({ standing, credit }: Vouching) => [Math.floor(standing / 50_000), Math.floor(Math.min(credit, 1_000_000) / 10_000)]

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
  judgement = newJudgement,
}: ScoreDoc): string =>
  JSON.stringify([
    ...[fusedScore, risk.riskScore, risk.flags, risk.recommendation, risk.disputeRate, risk.slashCount, components, badges, judgement],
    ...[totalGigsCompleted, String(totalEarned), gigCompletionRate, penalty, decay, bond],
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
      previousRisk: before.risk.riskScore,
      riskLevel,
      judgement: after.judgement ?? newJudgement,
      previousJudgement: before.judgement ?? newJudgement,
      components: { ...components },
      badges,
      totalGigsCompleted,
      totalEarned,
      gigCompletionRate,
      formulaVersion: after.formulaVersion ?? '1',
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
  const marked = { ...present, batchId, batchScore: doc.fusedScore, batchRisk: doc.risk.riskScore, onChain: { ...sentOnChain, batchId } }
  const state = { ...doc, chains: { ...doc.chains, [chain]: marked } }
  return { state: { ...state, syncDueAt: needsSync(state) ? doc.syncDueAt : null }, events: [] }
}

/**
 * An outcome of a batch; undefined when it is stale, or about another one. After a failure the agent waits for the next batch; what changed meanwhile
 * is due immediately. A batch that was confirmed and then failed for good leaves the network without a known score.
 */
export function followBatch(doc: ScoreDoc, chain: Chain, batchId: string, outcome: ObservedOutcome, now: Date): Decision<ScoreDoc> | undefined {
  const present = doc.chains[chain]
  const current = commandOf(present, batchId)
  const next = current && followOutcome(current, outcome)
  if (!next) return undefined
  const onChain = { ...next, batchId }
  const isKnown = current.status === 'confirmed'
  const { published = [] } = present
  const set = (change: Partial<ChainScore>) => ({ ...doc, chains: { ...doc.chains, [chain]: { ...present, ...change, onChain } } })
  if (next.status === 'pending') return { state: set({}), events: [] }
  const idle = { batchId: null, batchScore: null, batchRisk: null }
  if (next.status === 'failed') {
    const nextBatch = new Date(now.getTime() + syncEveryMs)
    const syncDueAt = doc.syncDueAt && doc.syncDueAt < nextBatch ? doc.syncDueAt : nextBatch
    return {
      state: {
        ...set({ ...idle, ...(isKnown ? { score: null, risk: null, tier: null, txHash: null, published: published.slice(1) } : {}) }),
        syncDueAt,
      },
      events: [],
    }
  }
  // the same effect in another block
  if (isKnown) return { state: set({ txHash: next.txHash, published: movedTo(published, next.txHash) }), events: [] }
  const score = present.batchScore ?? doc.fusedScore
  const riskScore = present.batchRisk ?? doc.risk.riskScore
  const tier = tierOf(score)
  const txHash = next.txHash ?? ''
  const state = set({
    ...idle,
    score,
    risk: riskScore,
    tier,
    txHash,
    updatedAt: now,
    published: [{ score, at: now, txHash }, ...published].slice(0, publishedLength),
  })
  const event = scoreSynced.of({ agentId: doc.id, chain, fusedScore: score, riskScore, tier, txHash, syncedAt: now.toISOString() })
  return { state: { ...state, syncDueAt: needsSync(state) ? (doc.syncDueAt ?? now) : null }, events: [event] }
}

type Published = NonNullable<ChainScore['published']>
/** The newest entry with the transaction that carries it now. */
const movedTo = ([newest, ...older]: Published, txHash: string | null): Published => (newest ? [{ ...newest, txHash: txHash ?? '' }, ...older] : [])

function commandOf({ batchId, onChain }: ChainScore, wanted: string): OnChain | undefined {
  if (onChain?.batchId === wanted) return onChain
  return batchId === wanted ? sentOnChain : undefined
}
