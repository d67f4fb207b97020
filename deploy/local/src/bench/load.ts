import { httpCall, threadSeconds } from '@carapace/testing'

const clients = 32

export interface Load {
  url: string
  method?: 'GET' | 'POST'
  /** Of the n-th request. */
  path: (n: number) => string
  headers?: (n: number) => Record<string, string>
  body?: (n: number) => unknown
  /** @throws Error for an answer that is not the right one */
  check: (body: unknown, n: number) => void
}

export interface Spent {
  cpuSeconds: number
  seconds: number
}

/** Sends so many requests, 32 at a time, and checks each answer. Resolves to what `pids` used until then, and until what the requests cause is `settled`. */
export async function runLoad(
  { url, method = 'GET', path, headers, body, check }: Load,
  requests: number,
  pids: () => Promise<readonly number[]>,
  settled?: () => Promise<unknown>,
): Promise<Spent> {
  const before = await cpuOf(pids)
  const start = performance.now()
  let sent = 0
  const client = async () => {
    while (sent < requests) {
      const n = sent++
      const options = { headers: { 'accept-encoding': 'identity', ...headers?.(n) }, ...(body ? { body: body(n) } : {}) }
      const answer = await httpCall(url, method, path(n), options)
      if (answer.status >= 300) throw new Error(`${method} ${path(n)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
      check(answer.body, n)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await settled?.()
  return { seconds: (performance.now() - start) / 1_000, cpuSeconds: (await cpuOf(pids)) - before }
}

export const cpuOf = async (pids: () => Promise<readonly number[]>): Promise<number> =>
  (await pids()).reduce((sum, pid) => sum + threadSeconds(pid), 0)

/** Own cost as a part of the other's, a value for each of the interleaved rounds; the round before them only warms up. */
export async function compareCosts(rounds: number, own: () => Promise<Spent>, other: () => Promise<Spent>): Promise<number[]> {
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const [mine, theirs] = [await own(), await other()]
    if (round > 0) ratios.push(mine.cpuSeconds / theirs.cpuSeconds)
  }
  return ratios
}
