import * as api from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { type Indexes, projection } from '@carapace/store'

/** Small read copies of what a draw and a verdict need to know: crews, ties, who is proven. */
interface CrewRow {
  leadAgentId: string
  memberIds: string[]
}
/** A settled payment from `a` to `b`. */
interface TieRow {
  a: string
  b: string
  at: Date
  /** The chain has reversed it for good. The name is stored. */
  isUndone?: boolean
}
interface ProvenRow {
  /** micro-USDC */
  totalBonded: bigint
}

export interface Facts {
  subscriptions: Subscription[]
  /** Agent → crews it is a joined member of. */
  crewsOf(agentIds: readonly string[]): Promise<Map<string, string[]>>
  /** Those of `agentIds` with a settled payment with one of the parties since `after`. */
  tiedTo(parties: readonly string[], agentIds: readonly string[], after: Date): Promise<Set<string>>
  /** Of these, those with a bond that counts or a settled paid gig. */
  proven(agentIds: readonly string[]): Promise<Set<string>>
}

const crewIndexes: Indexes = {
  members: { key: { memberIds: 1 } },
}
const tieIndexes: Indexes = {
  a_at: { key: { a: 1, at: -1 } },
  a_b: { key: { a: 1, b: 1, at: -1 } },
  b_at: { key: { b: 1, at: -1 } },
}

export function factProjections({ db }: Pick<Platform, 'db'>): Facts {
  const crews = projection<CrewRow>(db, { collection: 'crews', indexes: crewIndexes })
  const ties = projection<TieRow>(db, { collection: 'ties', indexes: tieIndexes })
  const standing = projection<ProvenRow>(db, { collection: 'standing' })
  type Bonded = { agentId: string; totalBonded: bigint }
  const bonded = ({ agentId, totalBonded }: Bonded, event: api.CloudEvent) => standing.apply(agentId, { totalBonded }, event)
  const wasPaid = async (b: string) => (await ties.find({ b, isUndone: { $ne: true } }, { sort: { at: -1 }, limit: 1 })).length > 0

  return {
    subscriptions: [
      on(api.crewChanged, ({ crewId, leadAgentId, members, dissolved }, event) => {
        const joined = dissolved ? [] : members.filter(member => member.status === 'joined').map(member => member.agentId)
        return crews.apply(crewId, { leadAgentId, memberIds: joined }, event)
      }),
      on(api.bondDeposited, bonded),
      on(api.bondWithdrawn, bonded),
      on(api.bondSlashed, bonded),
      on(api.slashReversed, bonded),
      on(api.escrowReleased, ({ gigId, posterId, assigneeId, settledAt }, event) =>
        ties.apply(gigId, { a: posterId, b: assigneeId, at: new Date(settledAt) }, event),
      ),
      on(api.jobSettled, ({ jobId, posterId, assigneeId, at }, event) => ties.apply(jobId, { a: posterId, b: assigneeId, at: new Date(at) }, event)),
      on(api.escrowRestated, async ({ gigId, unpaid }, event) => {
        if (unpaid) await ties.apply(gigId, { isUndone: true }, event)
      }),
    ],
    crewsOf: async agentIds => {
      const found = await crews.find({ memberIds: { $in: [...agentIds] } })
      const byAgent = new Map<string, string[]>()
      for (const crew of found) for (const member of crew.memberIds) byAgent.set(member, [...(byAgent.get(member) ?? []), crew.id])
      return byAgent
    },
    tiedTo: async (parties, agentIds, after) => {
      const [among, others] = [{ $in: [...parties] }, { $in: [...agentIds] }]
      const either = [
        { a: among, b: others },
        { a: others, b: among },
      ]
      const rows = await ties.find({ at: { $gte: after }, isUndone: { $ne: true }, $or: either })
      return new Set(rows.flatMap(row => [row.a, row.b]))
    },
    proven: async agentIds => {
      const rows = await standing.many(agentIds)
      const isProven = async (id: string) => (rows.get(id)?.totalBonded ?? 0n) >= api.limits.bond.minMicro || (await wasPaid(id))
      const found = await Promise.all(agentIds.map(async id => ((await isProven(id)) ? [id] : [])))
      return new Set(found.flat())
    },
  }
}
