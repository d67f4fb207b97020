import { refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { AgentStore } from './agent.store.ts'
import type { Agent } from './agent.ts'
import type { Parts } from './parts.ts'

/** One page of the active agents whose handle, description or skills hold the text, in any letter case; the one whose handle it is comes first. */
export async function search(
  agents: AgentStore,
  text: string,
  page: { limit: number; offset: number },
): Promise<{ items: Stored<Agent>[]; total: number }> {
  const wanted = text.toLowerCase()
  if (wanted === '') return { items: [], total: 0 }
  const named = await agents.byHandle(wanted)
  const exact = named?.status === 'active' ? [named] : []
  const filter = {
    status: 'active',
    searchText: { $regex: wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') },
    ...(exact.length ? { _id: { $ne: exact[0]!.id } } : {}),
  }
  const first = page.offset === 0 ? exact : []
  const limit = page.limit - first.length
  const [rest, total] = await Promise.all([
    limit === 0 ? [] : agents.find(filter, { limit, offset: Math.max(0, page.offset - exact.length) }),
    agents.count(filter),
  ])
  return { items: [...first, ...rest], total: total + exact.length }
}

/** The agent that a .molt name is linked to, with or without the ending. @throws NOT_FOUND */
export async function byMolt({ agents }: Pick<Parts, 'agents'>, name: string): Promise<Stored<Agent>> {
  const full = name.toLowerCase().endsWith('.molt') ? name : `${name}.molt`
  return (await agents.byMolt(full)) ?? refuse('NOT_FOUND', { resource: 'agent' })
}
