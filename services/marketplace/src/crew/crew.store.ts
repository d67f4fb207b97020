import { type AggregateStore, aggregateStore, type Database, gathered, type Indexes } from '@carapace/store'
import { type Crew, isJoined, joined } from './crew.ts'

/** The index that has the running crews in the order of their list. */
export const runningNewest = 'running_newest'
const indexes: Indexes = {
  handle: { key: { handle: 1 }, unique: true },
  [runningNewest]: { key: { dissolved: 1, createdAt: -1, _id: -1 } },
  role_running_newest: { key: { roles: 1, dissolved: 1, createdAt: -1, _id: -1 } },
  running_score: { key: { dissolved: 1, crewScore: 1 } },
  member_running_newest: { key: { 'members.agentId': 1, dissolved: 1, createdAt: -1, _id: -1 } },
  lead: { key: { leadAgentId: 1, dissolved: 1 } },
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
}

/** Crews in which the agent is a joined member, in that role if one is named. The id by itself is what the index knows. */
export const memberFilter = (agentId: string, role?: string) => ({
  'members.agentId': agentId,
  members: { $elemMatch: { agentId, status: 'joined', ...(role ? { role } : {}) } },
})

export type CrewStore = AggregateStore<Crew> & {
  /** Running crews in which the agent is a joined member. Calls of one moment are one read. */
  ofMember(agentId: string): Promise<Crew[]>
}

export function crewStore(db: Database): CrewStore {
  const duplicates = { handle: 'DUPLICATE_HANDLE' } as const
  const crews = aggregateStore<Crew>(db, { collection: 'crews', resource: 'crew', indexes, duplicates, derive: withRoles })
  const ofMember = gathered(async (agentIds: readonly string[]) => {
    const found = await crews.find({ 'members.agentId': { $in: [...agentIds] }, dissolved: false })
    return agentIds.map(agentId => found.filter(crew => isJoined(crew, agentId)))
  })
  return { ...crews, ofMember }
}

/** The roles of its joined members. */
function withRoles(crew: Crew): Crew {
  const roles = [...new Set(joined(crew).map(({ role }) => role))]
  return crew.roles?.join() === roles.join() ? crew : { ...crew, roles }
}
