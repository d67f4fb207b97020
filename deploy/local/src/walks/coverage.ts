import { Session } from 'node:inspector/promises'

/** The functions of our files that ran, by the path of the source file from the root of the repository. */
export type Ran = ReadonlyMap<string, ReadonlySet<string>>

export interface Coverage {
  /** What ran in this process since the last call. */
  read(): Promise<Ran>
}

/** Counts calls of functions from now on, with V8's precise coverage. */
export async function startCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    read: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      return new Map(result.flatMap(({ url, functions }) => entryOf(url, functions)))
    },
  }
}

interface Counted {
  functionName: string
  ranges: readonly { startOffset: number; count: number }[]
}

const root = new URL('../../../../', import.meta.url).href

function entryOf(url: string, functions: readonly Counted[]): [string, Set<string>][] {
  if (!url.startsWith(root) || !url.includes('/dist/') || url.includes('/node_modules/')) return []
  // The function at offset 0 is the module itself.
  const ran = functions.filter(({ ranges: [range] }) => range && range.count > 0 && range.startOffset > 0)
  const file = url.slice(root.length).replace('dist/', 'src/').replace(/\.js$/, '.ts')
  return ran.length > 0 ? [[file, new Set(ran.map(({ functionName, ranges }) => `${functionName}@${ranges[0]!.startOffset}`))]] : []
}
