import type { AnyEndpoint } from '@carapace/api'
import { httpCall } from '@carapace/testing'
import { declaredReads, filtersOf, queryKeys } from '../testing/reads.ts'
import { compareAll, compareReads, growthOf, type Read, type Timing } from './compare-reads.ts'
import { copiedKey } from './copies.ts'
import type { Population } from './play-population.ts'
import type { Side } from './side.ts'

/** The number of a copy that both populations have. */
const sampleCopy = 7

const listsOfAgents = [
  '/api/agents?limit=20',
  '/api/agents?limit=100',
  '/api/agents/discover?skills=solidity&limit=20',
  '/api/agents/search?q=solidity&limit=20',
  '/api/agents/leaderboard',
]

/** What each list of agents costs on both platforms. */
export async function timeListsOfAgents(sides: readonly [Side, Side]): Promise<Timing[]> {
  const lists = listsOfAgents.map(path => ({ path, headers: {} }))
  // warms the programs
  for (const list of lists) await compareReads(sides, list)
  return compareAll(sides, lists)
}

/** What each read costs on one platform and on the other, called in alternation; what grows most comes first. */
export async function timeReads(sides: readonly [Side, Side], { players, ids }: Population): Promise<Timing[]> {
  const keys = [...players.slice(0, 4).flatMap(({ id, wallet }) => [id, wallet.address]), ...ids].map(key => copiedKey(key, sampleCopy))
  const agents = players
    .slice(0, 2)
    .map(({ id, wallet }) => ({ 'x-agent-id': copiedKey(id, sampleCopy), 'x-wallet-address': copiedKey(wallet.address, sampleCopy) }))
  const plans = (await Promise.all(variants.map(variant => planOf(sides[0], variant, keys, agents)))).filter(plan => plan !== undefined)
  const timings = await compareAll(sides, plans)
  return timings.sort((a, b) => growthOf(b) - growthOf(a))
}

/** Every declared read: its first page, a later one, and each filter alone; and what else the public requests. */
const variants: readonly string[] = [
  ...declaredReads.filter(isOverMany).flatMap(endpoint => {
    const isList = queryKeys(endpoint).includes('offset')
    return ['', ...(isList ? ['limit=10&offset=10'] : []), ...filtersOf(endpoint)].map(query => `${endpoint.path}${query && `?${query}`}`)
  }),
  '/api/agents?limit=20&offset=500',
  '/api/gigs?limit=20&offset=200',
  '/api/gigs?status=open',
  ...['solidity', 'so', 'rust', 'judge-', '-{run}'].map(text => `/api/agents/search?q=${text}`),
  ...['score_asc', 'risk_asc', 'newest'].map(order => `/api/agents/discover?sortBy=${order}`),
  ...['score_desc', 'risk_asc', 'newest'].map(order => `/api/agents/discover?skills=solidity,rust,audits&sortBy=${order}`),
  '/api/agents/discover?skills=rust&sortBy=newest',
  '/api/agents/discover?skills=solidity,rust&limit=20&offset=40',
  '/api/swarm/quorum-requirements?budget=10',
]

/** Lists, and figures of a collection. */
function isOverMany(endpoint: AnyEndpoint): boolean {
  return queryKeys(endpoint).includes('limit') || !endpoint.path.includes(':') || /pending|claimable|unread/.test(endpoint.path)
}

/** With keys in their places, and the caller, that give the longest answer; undefined when none is answered. */
async function planOf({ url }: Side, variant: string, keys: readonly string[], agents: readonly Record<string, string>[]): Promise<Read | undefined> {
  const paths = filled(variant, keys)
  let best: (Read & { length: number }) | undefined
  for (const path of paths)
    for (const headers of agents) {
      const { status, body } = await httpCall(url, 'GET', path.replace('{run}', '0'), { headers })
      const { length } = JSON.stringify(body)
      if (status === 200 && length > (best?.length ?? 0)) best = { path, headers, length }
    }
  return best
}

/** With each key in each place. */
const filled = (path: string, keys: readonly string[]): string[] =>
  /:\w+/.test(path) ? keys.flatMap(key => filled(path.replace(/:\w+/, key), keys)) : [path]
