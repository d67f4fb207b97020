import * as api from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { type Indexes, projection } from '@carapace/store'
import { openVotesOf } from './validation/validation.store.ts'

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
  /** The chain has reversed it for good, and it was not made again. The name is stored. */
  isUndone?: boolean
}
interface ProvenRow {
  /** micro-USDC */
  totalBonded: bigint
}

export interface CandidateQuery {
  agentIds: readonly string[]
  /** Agents whose crews are read, too. */
  others: readonly string[]
  /** Poster and assignee, with whom a payment since `tiedAfter` is a tie. */
  parties: readonly string[]
  tiedAfter: Date
}
export interface CandidateLinks {
  crewsOf(agentId: string): readonly string[]
  isTied(agentId: string): boolean
  /** Its seats without a vote. */
  openVotesOf(agentId: string): number
}

export interface Facts {
  subscriptions: Subscription[]
  /** Agent → crews it is a joined member of. */
  crewsOf(agentIds: readonly string[]): Promise<Map<string, string[]>>
  /** What a draw needs to know of candidates, in one read. */
  ofCandidates(query: CandidateQuery): Promise<CandidateLinks>
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
      on(api.escrowRestated, ({ gigId, settledAt: at, ...gig }, event) => ties.apply(gigId, correctedTie({ ...gig, at }), event)),
      on(api.jobCorrected, ({ jobId, ...job }, event) => ties.apply(jobId, correctedTie(job), event)),
    ],
    crewsOf: async agentIds => crewsByMember(await crews.find({ memberIds: { $in: [...agentIds] } })),
    ofCandidates: async query => {
      const found = await db.connection.collection('crews').aggregate<Found>(linkStages(query)).toArray()
      const [byMember, tied, open] = [crewsByMember(found.flatMap(({ crew }) => crew ?? [])), new Set<string>(), new Map<string, number>()]
      for (const { tie } of found) if (tie) tied.add(tie.a).add(tie.b)
      for (const { owing = [] } of found) for (const agentId of owing) open.set(agentId, (open.get(agentId) ?? 0) + 1)
      return {
        crewsOf: agentId => byMember.get(agentId) ?? [],
        isTied: agentId => tied.has(agentId),
        openVotesOf: agentId => open.get(agentId) ?? 0,
      }
    },
    proven: async agentIds => {
      const rows = await standing.many(agentIds)
      const isProven = async (id: string) => (rows.get(id)?.totalBonded ?? 0n) >= api.limits.bond.minMicro || (await wasPaid(id))
      const found = await Promise.all(agentIds.map(async id => ((await isProven(id)) ? [id] : [])))
      return new Set(found.flat())
    },
  }
}

type Corrected = Parameters<typeof api.paymentCorrection>[0] & { posterId: string; assigneeId: string | null; at: string | null }

/** What a correction says of a payment: reversed, or made again, perhaps where only a refund had been reported. Nothing while it is still to be made. */
function correctedTie({ posterId: a, assigneeId: b, at, ...payment }: Corrected): Partial<TieRow> {
  const correction = api.paymentCorrection(payment)
  if (correction === 'paidAgain') return b !== null && at !== null ? { a, b, at: new Date(at), isUndone: false } : {}
  return correction === undefined ? {} : { isUndone: true }
}

function crewsByMember(crews: readonly Pick<CrewRow & { id: string }, 'id' | 'memberIds'>[]): Map<string, string[]> {
  const byAgent = new Map<string, string[]>()
  for (const crew of crews) for (const member of crew.memberIds) byAgent.set(member, [...(byAgent.get(member) ?? []), crew.id])
  return byAgent
}

/** One of the three kinds of documents that a draw reads together. */
interface Found {
  crew?: { id: string; memberIds: string[] }
  tie?: Pick<TieRow, 'a' | 'b'>
  owing?: string[]
}

/** Of the collection of crews, with those of the two others after it. */
function linkStages({ agentIds, others, parties, tiedAfter }: CandidateQuery) {
  const [among, candidates] = [{ $in: [...parties] }, { $in: [...agentIds] }]
  const ties = (between: object) => [
    { $match: { ...between, at: { $gte: tiedAfter }, isUndone: { $ne: true } } },
    { $project: { _id: 0, tie: { a: '$a', b: '$b' } } },
  ]
  return [
    { $match: { memberIds: { $in: [...agentIds, ...others] } } },
    { $project: { _id: 0, crew: { id: '$_id', memberIds: '$memberIds' } } },
    { $unionWith: { coll: 'ties', pipeline: ties({ a: among, b: candidates }) } },
    { $unionWith: { coll: 'ties', pipeline: ties({ a: candidates, b: among }) } },
    { $unionWith: { coll: 'validations', pipeline: openVotesOf(agentIds) } },
  ]
}
