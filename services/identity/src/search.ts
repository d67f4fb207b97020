import { refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { AgentStore } from './agent.store.ts'
import type { Agent } from './agent.ts'
import type { Parts } from './parts.ts'

/** One page of the active agents whose handle, description or skills hold the text, in any letter case; the one whose handle it is comes first. */
export async function search(
  agents: AgentStore,
  text: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: Stored<Agent>[]; total: number }> {
  const wanted = text.toLowerCase()
  if (wanted === '') return { items: [], total: 0 }
  const [named, holding] = await Promise.all([agents.byHandle(wanted), agents.idsByText(wanted)])
  const exact = named?.status === 'active' ? named.id : undefined
  const ids = exact === undefined ? holding : [exact, ...holding.filter(id => id !== exact)]
  const page = ids.slice(offset, offset + limit)
  const found = new Map((page.length ? await agents.find({ _id: { $in: page } }) : []).map(agent => [agent.id, agent]))
  return { items: page.flatMap(id => found.get(id) ?? []), total: ids.length }
}

/** The agent that a .molt name is linked to, with or without the ending. @throws NOT_FOUND */
export async function byMolt({ agents }: Pick<Parts, 'agents'>, name: string): Promise<Stored<Agent>> {
  const full = name.toLowerCase().endsWith('.molt') ? name : `${name}.molt`
  return (await agents.byMolt(full)) ?? refuse('NOT_FOUND', { resource: 'agent' })
}
