import { httpCall, median } from '@carapace/testing'
import { type Side, secondsOf } from './side.ts'

const warmUp = 1
const measured = 5
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

/** What is above is measured again, and the median counts: work in the background that fell into one side does not come back, growth does. */
const suspicious = 1.1
/** Of a hundred reads the worst is the one that was measured worst: so often that this is little. */
const mostTimes = 9

export const growthOf = ({ few, many }: Timing): number => many / few

/** As `compareReads` of each; of a read that was measured several times, the timing of median growth. */
export async function compareAll(sides: readonly [few: Side, many: Side], reads: readonly Read[]): Promise<Timing[]> {
  const all: Timing[][] = []
  for (const one of reads) all.push([await compareReads(sides, one)])
  for (let times = 1; times < mostTimes; times += 2)
    for (const [at, timings] of all.entries())
      if (growthOf(middleOf(timings)) > suspicious) timings.push(await compareReads(sides, reads[at]!), await compareReads(sides, reads[at]!))
  return all.map(middleOf)
}

const middleOf = (timings: readonly Timing[]): Timing => timings.toSorted((a, b) => growthOf(a) - growthOf(b))[timings.length >> 1]!

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
