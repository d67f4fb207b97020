import type { System } from '@carapace/testing'

/** Public lists that grow with the number of agents. */
export const lists = [
  '/api/agents?limit=20',
  '/api/agents?limit=20&offset=500',
  '/api/agents/discover?skill=solidity&limit=20',
  '/api/agents/search?q=copy-5&limit=20',
  '/api/agents/leaderboard?limit=20',
  '/api/gigs?limit=20',
  '/api/gigs?status=open&limit=20',
  '/api/bonds?limit=20',
  '/api/crews?limit=20',
  '/api/swarm/validations?limit=20',
  '/.well-known/agents.json?limit=20',
] as const

const warmUp = 15
const measured = 60

/** Milliseconds of each list: the median of some requests, one after the other. */
export async function timeLists(system: System): Promise<Map<string, number>> {
  const medians = new Map<string, number>()
  for (const path of lists) {
    const times: number[] = []
    for (let n = 0; n < warmUp + measured; n++) {
      const start = performance.now()
      const { status, body } = await system.call('GET', path)
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
      if (n >= warmUp) times.push(performance.now() - start)
    }
    medians.set(path, median(times))
  }
  return medians
}

export const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!
