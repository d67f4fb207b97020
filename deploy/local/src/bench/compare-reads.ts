import { httpCall, median } from '@carapace/testing'
import { type Side, secondsOf } from './side.ts'

const warmUp = 2
const measured = 8
/** Calls of one measurement: what a side does after it has answered is then mostly in its own. */
const together = 5

/** `{run}` in a path is the number of the call. */
export interface Read {
  path: string
  headers: Record<string, string>
}

export interface Timing {
  path: string
  /** Milliseconds of CPU of services, gateway and database: medians. The load comes from this process and is not in it. */
  few: number
  many: number
}

/** What one read costs on two platforms, called in alternation, past the micro-cache. @throws Error when it is not answered with 200 */
export async function compareReads(sides: readonly [few: Side, many: Side], { path, headers }: Read): Promise<Timing> {
  const times: [number[], number[]] = [[], []]
  for (let run = 0; run < warmUp + measured; run++)
    for (const [at, side] of sides.entries()) {
      const before = await secondsOf(side)
      for (let call = 0; call < together; call++) await read(side, path.replace('{run}', String(run * together + call)), headers)
      if (run >= warmUp) times[at]!.push((((await secondsOf(side)) - before) / together) * 1_000)
    }
  return { path, few: median(times[0]), many: median(times[1]) }
}

async function read({ url }: Side, path: string, headers: Record<string, string>): Promise<void> {
  const { status, body } = await httpCall(url, 'GET', path, { headers: { ...headers, 'accept-encoding': 'identity', 'cache-control': 'no-cache' } })
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
}
