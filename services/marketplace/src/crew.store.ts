import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { Schema } from 'mongoose'
import { type Crew, joined } from './crew.ts'

const schema = new Schema<Crew>({
  name: String,
  handle: String,
  leadAgentId: String,
  roles: [String],
  crewScore: Number,
  dissolved: Boolean,
  dueAt: Date,
})
/** The index that has the running crews in the order of their list. */
export const runningNewest = 'running_newest'
schema.index({ handle: 1 }, { name: 'handle', unique: true })
schema.index({ dissolved: 1, createdAt: -1, _id: -1 }, { name: runningNewest })
schema.index({ roles: 1, dissolved: 1, createdAt: -1, _id: -1 }, { name: 'role_running_newest' })
schema.index({ dissolved: 1, crewScore: 1 }, { name: 'running_score' })
schema.index({ 'members.agentId': 1, dissolved: 1, createdAt: -1, _id: -1 }, { name: 'member_running_newest' })
schema.index({ leadAgentId: 1, dissolved: 1 }, { name: 'lead' })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })

/** Crews in which the agent is a joined member, in that role if one is named. The id by itself is what the index knows. */
export const memberFilter = (agentId: string, role?: string) => ({
  'members.agentId': agentId,
  members: { $elemMatch: { agentId, status: 'joined', ...(role ? { role } : {}) } },
})

export type CrewStore = AggregateStore<Crew> & {
  /** Running crews in which the agent is a joined member. */
  ofMember(agentId: string): Promise<Crew[]>
}

export function crewStore(db: Database): CrewStore {
  const duplicates = { handle: 'DUPLICATE_HANDLE' } as const
  const crews = aggregateStore<Crew>(db, { collection: 'crews', resource: 'crew', schema, duplicates, derive: withRoles })
  return { ...crews, ofMember: agentId => crews.find({ ...memberFilter(agentId), dissolved: false }) }
}

/** The roles of its joined members. */
function withRoles(crew: Crew): Crew {
  const roles = [...new Set(joined(crew).map(({ role }) => role))]
  return crew.roles?.join() === roles.join() ? crew : { ...crew, roles }
}
