import type { AnyEndpoint } from '@carapace/api'
import { services } from '../services.ts'

/** The services without the relayer: whatever is read of a chain is read of their records. */
export const readServices = services.filter(({ api }) => api.name !== 'chain-relayer')

/** Every declared GET of them. */
export const declaredReads: readonly AnyEndpoint[] = readServices
  .flatMap(({ api }) => Object.values(api.endpoints) as AnyEndpoint[])
  .filter(endpoint => endpoint.method === 'get')

export const queryKeys = (endpoint: AnyEndpoint): string[] => Object.keys((endpoint.query as { shape?: object } | undefined)?.shape ?? {})

/** A value for each filter of a list; what is not here is left out. */
const filters: Readonly<Record<string, string>> = {
  status: 'pending',
  chain: 'BASE_SEPOLIA',
  skill: 'solidity',
  skills: 'solidity',
  minScore: '10',
  gigId: '00000000-0000-4000-8000-000000000000',
  posterId: '00000000-0000-4000-8000-000000000000',
  assigneeId: '00000000-0000-4000-8000-000000000000',
  agentId: '00000000-0000-4000-8000-000000000000',
  unreadOnly: 'true',
  q: 'a',
}

/** Each filter of a list, alone. */
export const filtersOf = (endpoint: AnyEndpoint): string[] => queryKeys(endpoint).flatMap(key => (filters[key] ? [`${key}=${filters[key]}`] : []))
