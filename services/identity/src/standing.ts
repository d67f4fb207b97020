import {
  type AgentProfile,
  agentFollowed,
  agentUnfollowed,
  bondDeposited,
  bondLocked,
  bondLockFailed,
  bondRow,
  bondSlashed,
  bondUnlocked,
  bondWithdrawn,
  domainActivated,
  domainDeleted,
  domainSynced,
  domainTransferred,
  escrowSnapshot,
  newAgentScore,
  reputationSnapshot,
  type ScoreRow,
  scoreChanged,
  slashReversed,
} from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { type Database, gathered, writePast } from '@carapace/store'

/** Facts of other services about an agent. Lists are filtered and ordered by them, so they are part of the agent's own document. */
export interface Standing {
  fusedScore: number
  tier: AgentProfile['tier']
  components: AgentProfile['components']
  badges: string[]
  riskScore: number
  riskLevel: AgentProfile['riskLevel']
  totalGigsCompleted: number
  /** micro-USDC, as all money here */
  totalEarned: bigint
  bondTier: AgentProfile['bondTier']
  bondStatus: AgentProfile['bondStatus']
  totalBonded: bigint
  availableBond: bigint
  lockedBond: bigint
  moltDomain: string | null
  followerCount: number
}

/** Nothing has happened yet (behaviour 17.1). */
export const newAgentStanding: Standing = {
  ...newAgentScore,
  components: { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 },
  badges: [],
  riskLevel: 'low',
  totalGigsCompleted: 0,
  totalEarned: 0n,
  bondTier: 'UNBONDED',
  bondStatus: 'UNBONDED',
  totalBonded: 0n,
  availableBond: 0n,
  lockedBond: 0n,
  moltDomain: null,
  followerCount: 0,
}

/** Where an agent's document has the order of the last event of each part. Documents of earlier releases have `heard`, too, which is only read. */
const orderFields = ['projected', 'heard'] as const
const [orderField] = orderFields

/** Selects documents in which a part is not newer. */
const notAfter = (writer: Writer, order: number) => Object.fromEntries(orderFields.map(field => [`${field}.${writer}`, { $not: { $gt: order } }]))

/** Version of the bond that an agent's document shows; 0 = none. */
export const bondVersionOf = (agent: object): number =>
  Math.max(...orderFields.map(field => Number((agent as Record<string, { bond?: number } | undefined>)[field]?.bond ?? 0)))

/** The parts, each with its own order of events: the version of one aggregate, or a count or time where several aggregates write one part. */
type Writer = 'score' | 'bond' | 'domain' | 'follows'

/**
 * Projects events about an agent in one guarded write, past the agent's rules and version: a late or repeated event
 * never restores an older value. Agents are born here, so an event about an unknown one speaks of nobody.
 */
export function standingEvents(db: Database, collection: string): Subscription[] {
  const agents = () => db.connection.collection<{ _id: string }>(collection)
  /** Events of one moment are one write. */
  const write = gathered(async (updates: readonly { filter: { _id: string }; update: { $set: object } }[]) => {
    const ids = updates.map(({ filter }) => filter._id)
    await writePast(db, collection, ids, () =>
      agents().bulkWrite(
        updates.map(updateOne => ({ updateOne })),
        { ordered: false },
      ),
    )
    return updates.map(() => undefined)
  })
  const project = async (agentId: string, writer: Writer, order: number, facts: Partial<Standing>) => {
    const fields = Object.fromEntries(Object.entries(facts).map(([name, value]) => [`standing.${name}`, value]))
    await write({
      filter: { _id: agentId, ...notAfter(writer, order) },
      update: { $set: { ...fields, [`${orderField}.${writer}`]: order, updatedAt: db.clock.now() } },
    })
  }

  type Score = Pick<Standing, 'fusedScore' | 'tier' | 'components' | 'badges' | 'riskScore' | 'riskLevel' | 'totalGigsCompleted' | 'totalEarned'>
  const scored = (agentId: string, version: number, score: Score) => {
    const { fusedScore, tier, components, badges, riskScore, riskLevel, totalGigsCompleted, totalEarned } = score
    return project(agentId, 'score', version, { fusedScore, tier, components, badges, riskScore, riskLevel, totalGigsCompleted, totalEarned })
  }
  type Bond = Pick<Standing, 'bondTier' | 'bondStatus' | 'totalBonded' | 'availableBond' | 'lockedBond'>
  const bonded = (agentId: string, version: number, bond: Bond) => {
    const { bondTier, bondStatus, totalBonded, availableBond, lockedBond } = bond
    return project(agentId, 'bond', version, { bondTier, bondStatus, totalBonded, availableBond, lockedBond })
  }
  const bondEvents = [bondDeposited, bondWithdrawn, bondLocked, bondLockFailed, bondUnlocked, bondSlashed, slashReversed]

  /** The present name of an agent; another agent that showed the same name before shows it no more. */
  const named = async ({
    agentId,
    moltDomain,
    fullDomain,
    tld,
    at,
  }: {
    agentId: string | null
    moltDomain: string | null
    fullDomain: string
    tld: string
    at: string
  }) => {
    // of names with another extension the event says nothing about the .molt name
    if (tld !== '.molt') return
    const order = Date.parse(at)
    if (agentId !== null) await project(agentId, 'domain', order, { moltDomain })
    await writePast(db, collection, undefined, () =>
      agents().updateMany(
        {
          'standing.moltDomain': fullDomain,
          ...notAfter('domain', order),
          ...(moltDomain === fullDomain ? { _id: { $ne: agentId ?? '' } } : {}),
        },
        { $set: { 'standing.moltDomain': null, [`${orderField}.domain`]: order } },
      ),
    )
  }
  const followed = ({ followedAgentId, followerCount, followChange }: { followedAgentId: string; followerCount: number; followChange: number }) =>
    project(followedAgentId, 'follows', followChange, { followerCount })

  return [
    on(scoreChanged, (payload, event) => scored(payload.agentId, event.aggregateversion, payload)),
    on(reputationSnapshot, async ({ id, version, row }) => {
      const score = row as unknown as ScoreRow
      await scored(id, version, { ...score, totalEarned: BigInt(score.totalEarned) })
    }),
    ...bondEvents.map(definition => on(definition, (payload, event) => bonded(payload.agentId, event.aggregateversion, payload))),
    on(escrowSnapshot, async ({ kind, id, version, row }) => {
      const bond = bondRow.safeParse(row)
      if (kind !== 'bond' || !bond.success) return
      const { totalBonded, availableBond, lockedBond, bondTier, bondStatus } = bond.data
      await bonded(id, version, {
        totalBonded: BigInt(totalBonded),
        availableBond: BigInt(availableBond),
        lockedBond: BigInt(lockedBond),
        bondTier,
        bondStatus,
      })
    }),
    ...[domainActivated, domainTransferred, domainDeleted, domainSynced].map(definition => on(definition, named)),
    ...[agentFollowed, agentUnfollowed].map(definition => on(definition, followed)),
  ]
}
