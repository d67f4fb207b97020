import { handle, identityApi, refuse } from '@carapace/api'
import type { Peers } from '@carapace/service'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const most = 10_000

/** Finds the id of the agent that a path names, by id or by handle. @throws NOT_FOUND; DEPENDENCY_UNAVAILABLE when identity does not answer */
export type Owners = (name: string) => Promise<string>

/** Queries identity once for each name: neither an id nor a handle ever becomes another agent's. */
export function owners(peers: Peers): Owners {
  const owners = new Map<string, string>()
  const { getAgentRow, getAgentRowByHandle } = identityApi.internal
  return async named => {
    const name = named.toLowerCase()
    const earlier = owners.get(name)
    if (earlier !== undefined) return earlier
    if (!uuid.test(name) && !handle.safeParse(name).success) return refuse('NOT_FOUND', { resource: 'agent' })
    const { agentId } = uuid.test(name)
      ? await peers.call('identity', getAgentRow, { params: { id: name } })
      : await peers.call('identity', getAgentRowByHandle, { params: { handle: name } })
    if (owners.size >= most) owners.delete(owners.keys().next().value!)
    owners.set(name, agentId)
    return agentId
  }
}
