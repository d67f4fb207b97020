import { type PageQuery, refuse } from '@carapace/api'
import type { Page, Stored } from '@carapace/store'
import type { AgentStore } from '../agent.store.ts'
import type { Agent } from '../agent.ts'
import type { Parts } from '../parts.ts'
import type { Found } from './directory.ts'

/** One page of the active agents whose handle, description or skills hold the text, in upper or lower case; the one whose handle it is comes first. */
export async function search(agents: AgentStore, text: string, { limit, offset }: PageQuery): Promise<Page<Stored<Agent>>> {
  const wanted = text.toLowerCase()
  if (wanted === '') return { items: [], total: 0 }
  const exact = await agents.byHandle(wanted)
  return agentsOf(agents, await agents.findByText(wanted, { limit, offset }, exact?.id))
}

/** The agents of a page in its order. */
export async function agentsOf(agents: AgentStore, { ids, total }: Found): Promise<Page<Stored<Agent>>> {
  const found = new Map((ids.length ? await agents.find({ _id: { $in: ids } }) : []).map(agent => [agent.id, agent]))
  return { items: ids.flatMap(id => found.get(id) ?? []), total }
}

/** The agent that a .molt name is linked to, with or without the ending. @throws NOT_FOUND */
export async function byMolt({ agents }: Pick<Parts, 'agents'>, name: string): Promise<Stored<Agent>> {
  const full = name.toLowerCase().endsWith('.molt') ? name : `${name}.molt`
  return (await agents.byMolt(full)) ?? refuse('NOT_FOUND', { resource: 'agent' })
}
