import * as api from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { projection } from '@carapace/store'
import { Schema } from 'mongoose'

/** Small read copies of what a draw and a verdict need to know: crews, ties, who is proven. */
interface CrewRow {
  leadAgentId: string
  memberIds: string[]
}
interface TieRow {
  a: string
  b: string
  at: Date
}
interface ProvenRow {
  /** micro-USDC */
  totalBonded: bigint
  hasSettled: boolean
}

export interface Facts {
  subscriptions: Subscription[]
  /** Agent → crews it is a joined member of. */
  crewsOf(agentIds?: readonly string[]): Promise<Map<string, string[]>>
  /** Agents with a settled payment with one of these since `after`. */
  tiedTo(agentIds: readonly string[], after: Date): Promise<Set<string>>
  /** Of these, those with a bond that counts or a settled paid gig. */
  proven(agentIds: readonly string[]): Promise<Set<string>>
}

const crewSchema = new Schema<CrewRow>({ leadAgentId: String, memberIds: [String] })
crewSchema.index({ memberIds: 1 }, { name: 'members' })
const tieSchema = new Schema<TieRow>({ a: String, b: String, at: Date })
tieSchema.index({ a: 1, at: -1 }, { name: 'a_at' })
tieSchema.index({ b: 1, at: -1 }, { name: 'b_at' })

export function factProjections({ db }: Pick<Platform, 'db'>): Facts {
  const crews = projection<CrewRow>(db, { collection: 'crews', schema: crewSchema })
  const ties = projection<TieRow>(db, { collection: 'ties', schema: tieSchema })
  const standing = projection<ProvenRow>(db, { collection: 'standing', schema: new Schema<ProvenRow>({ totalBonded: BigInt, hasSettled: Boolean }) })
  type Bonded = { agentId: string; totalBonded: bigint }
  const bonded = ({ agentId, totalBonded }: Bonded, event: api.CloudEvent) => standing.apply(agentId, { totalBonded }, event)
  const settled = async (posterId: string, assigneeId: string, at: string, event: api.CloudEvent) => {
    await ties.apply(event.subject, { a: posterId, b: assigneeId, at: new Date(at) }, event)
    await standing.apply(assigneeId, { hasSettled: true }, event)
  }

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
      on(api.escrowReleased, ({ posterId, assigneeId, settledAt }, event) => settled(posterId, assigneeId, settledAt, event)),
    ],
    crewsOf: async agentIds => {
      const found = await crews.find(agentIds ? { memberIds: { $in: [...agentIds] } } : {})
      const byAgent = new Map<string, string[]>()
      for (const crew of found) for (const member of crew.memberIds) byAgent.set(member, [...(byAgent.get(member) ?? []), crew.id])
      return byAgent
    },
    tiedTo: async (agentIds, after) => {
      const ids = [...agentIds]
      const rows = await ties.find({ at: { $gte: after }, $or: [{ a: { $in: ids } }, { b: { $in: ids } }] })
      return new Set(rows.flatMap(row => [row.a, row.b]))
    },
    proven: async agentIds => {
      const rows = await standing.many(agentIds)
      return new Set([...rows].filter(([, row]) => row.hasSettled || (row.totalBonded ?? 0n) >= api.limits.bond.minMicro).map(([id]) => id))
    },
  }
}
