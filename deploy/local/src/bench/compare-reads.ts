import { median, type TestPlatform } from '@carapace/testing'

const warmUp = 8
const measured = 40

/** `{run}` in a path is the number of the call. */
export interface Read {
  path: string
  headers: Record<string, string>
}

export interface Timing {
  path: string
  /** Milliseconds of CPU of all that run here, the database too: medians. Other programs on the machine do not count. */
  few: number
  many: number
}

/** What one read costs on two platforms, called in alternation. @throws Error when it is not answered with 200 */
export async function compareReads(platforms: readonly [few: TestPlatform, many: TestPlatform], { path, headers }: Read): Promise<Timing> {
  const times: [number[], number[]] = [[], []]
  for (let run = 0; run < warmUp + measured; run++)
    for (const [at, platform] of platforms.entries()) {
      const before = process.cpuUsage()
      const { status, body } = await platform.call('GET', path.replace('{run}', String(run)), { headers })
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
      const { user, system } = process.cpuUsage(before)
      if (run >= warmUp) times[at]!.push((user + system) / 1_000)
    }
  return { path, few: median(times[0]), many: median(times[1]) }
}
