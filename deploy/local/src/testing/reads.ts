import type { AnyEndpoint } from '@carapace/api'
import { services } from '../services.ts'

/** The services without the relayer: what is read of a chain is read from their records. */
export const readServices = services.filter(({ api }) => api.name !== 'chain-relayer')

/** Every declared GET of them that has an end: a stream would be read for ever. */
export const declaredReads: readonly AnyEndpoint[] = readServices
  .flatMap(({ api }) => Object.values(api.endpoints) as AnyEndpoint[])
  .filter(({ method, produces }) => method === 'get' && produces !== 'text/event-stream')

export const queryKeys = (endpoint: AnyEndpoint): string[] => Object.keys((endpoint.query as { shape?: object } | undefined)?.shape ?? {})

const nobody = '00000000-0000-4000-8000-000000000000'
/** Values for the filters of lists: what many match, and few or none. */
const filters: Readonly<Record<string, readonly string[]>> = {
  status: ['pending', 'open'],
  chain: ['BASE_SEPOLIA'],
  skill: ['solidity'],
  skills: ['solidity'],
  role: ['CODER', 'assignee'],
  minScore: ['10', '99'],
  minBudget: ['10', '1000000'],
  gigId: [nobody],
  posterId: [nobody],
  assigneeId: [nobody],
  posterAgentId: [nobody],
  assigneeAgentId: [nobody],
  agentId: [nobody],
  unreadOnly: ['true'],
  q: ['a'],
  tld: ['.molt', '.agent'],
}

/** What lists accept besides: their page, their order, and what is read from memory or narrows one of the filters above. */
const left: ReadonlySet<string> = new Set([
  ...['limit', 'offset', 'sortBy', 'place', 'untilVersion', 'state', 'type', 'maxBudget'],
  ...['tier', 'maxRisk', 'minBond', 'activityStatus', 'newcomerLane', 'budget', 'contract'],
])

/** Each filter of a list, alone. @throws Error for one that is in neither table: nobody would measure it */
export function filtersOf(endpoint: AnyEndpoint): string[] {
  const keys = queryKeys(endpoint)
  const unknown = keys.includes('offset') ? keys.filter(key => !filters[key] && !left.has(key)) : []
  if (unknown.length > 0) throw new Error(`${endpoint.path}: no value is known for ${unknown.join(', ')}`)
  return keys.flatMap(key => (filters[key] ?? []).map(value => `${key}=${value}`))
}
