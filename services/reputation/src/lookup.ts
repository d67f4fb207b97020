import { identityApi, refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from './parts.ts'
import type { ScoreDoc } from './score.store.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const wallet = /^0x[0-9a-f]{40}$/i

/** An agent by id, handle or wallet. @throws NOT_FOUND, after a query to identity; DEPENDENCY_UNAVAILABLE when identity does not answer */
export async function needScore(parts: Parts, name: string): Promise<Stored<ScoreDoc>> {
  const found = await findScore(parts, name)
  if (found) return found
  const params = uuid.test(name) ? { id: name } : undefined
  const row = params ? await parts.peers.find('identity', identityApi.internal.getAgentRow, { params }) : undefined
  // registered a moment ago: its event is on the way
  if (row) refuse('DEPENDENCY_UNAVAILABLE', undefined, { message: 'The agent is being scored; try again', retryAfter: 1 })
  return refuse('NOT_FOUND', { resource: 'agent' })
}

export async function findScore(parts: Parts, name: string): Promise<Stored<ScoreDoc> | undefined> {
  if (uuid.test(name)) return parts.scores.get(name.toLowerCase())
  const filter = wallet.test(name) ? { walletKey: name.toLowerCase() } : { handle: name }
  // a wallet may have passed from an agent whose loss is not known yet
  return (await parts.scores.find(filter, { sort: { registeredAt: -1 }, limit: 1 }))[0]
}
