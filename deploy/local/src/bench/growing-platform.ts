import { cp } from 'node:fs/promises'
import path from 'node:path'
import { until } from '@carapace/testing'
import { type Engine, startEngine } from '../engine.ts'
import { temporaryDataDir } from '../testing/child.ts'
import { type BenchStart, benchStart } from './bench-start.ts'
import { newGigPlayers, type Pair, playRound } from './gigs.ts'
import { type Population, playAll } from './play-population.ts'
import { populate, type Records, readAll } from './population.ts'
import { calm, type Side, startSide } from './side.ts'

/** Names of the data folders, each grown to a size of its own. */
export type Size = 'few' | 'many' | 'most'
type SizePair = readonly [Size, Size]

/** One platform that was played once, with as many agents as a folder was grown to: all others are copies of those who played. */
export interface GrowingPlatform {
  population: Population
  /** Who play further gigs; ten validators judge them, for copies have no keys on chain. */
  pairs: readonly Pair[]
  /** Adds copies until there are so many agents, of all records or of some collections alone. */
  grow(size: Size, agents: number, isCopied?: (collection: string) => boolean): Promise<void>
  /** Makes a folder of what another one has. */
  copy(from: Size, to: Size): Promise<void>
  /** `npm start` on each of two folders, at a time. */
  onStarts<T>(sizes: SizePair, work: (starts: readonly [BenchStart, BenchStart]) => Promise<T>): Promise<T>
  /** The services without relayer and chain on each of two, once they do little by themselves. Afterwards `onStarts` must not use the folders: their records are no longer those of a chain. */
  onSides<T>(sizes: SizePair, work: (sides: readonly [Side, Side]) => Promise<T>): Promise<T>
  /** Removes the folders. */
  end(): Promise<void>
}

export async function growingPlatform(): Promise<GrowingPlatform> {
  const folder = await temporaryDataDir()
  const folderOf = (size: Size | 'played') => path.join(folder.path, size)
  try {
    const { population, pairs } = await play(folderOf('played'))
    const records = await onEngine(folderOf('played'), ({ uri }) => readAll({ uri, prefix: '' }))
    for (const size of ['few', 'many'] as const) await cp(folderOf('played'), folderOf(size), { recursive: true })
    return grownFrom({ folderOf, population, pairs, records, end: folder.remove })
  } catch (error) {
    await folder.remove()
    throw error
  }
}

type Played = Pick<GrowingPlatform, 'population' | 'pairs' | 'end'> & { folderOf(size: Size): string; records: readonly Records[] }

function grownFrom({ folderOf, population, pairs, records, end }: Played): GrowingPlatform {
  // copy 0 would repeat the unique numbers of its original
  const next: Record<Size, number> = { few: 1, many: 1, most: 1 }
  return {
    population,
    pairs,
    end,
    grow: async (size, agents, isCopied = () => true) => {
      const [from, to] = [next[size], Math.ceil(agents / population.players.length)]
      const copied = records.filter(({ collection }) => isCopied(collection))
      await onEngine(folderOf(size), ({ uri }) => populate({ uri, prefix: '' }, copied, population, { first: from, copies: to - from }))
      next[size] = to
    },
    copy: async (from, to) => {
      await cp(folderOf(from), folderOf(to), { recursive: true })
      next[to] = next[from]
    },
    onStarts: async ([one, other], work) => {
      const starts: BenchStart[] = []
      try {
        for (const size of [one, other]) starts.push(await benchStart(folderOf(size)))
        return await work([starts[0]!, starts[1]!])
      } finally {
        for (const start of starts) await start.end()
      }
    },
    onSides: ([one, other], work) =>
      onEngine(folderOf(one), first =>
        onEngine(folderOf(other), async second => {
          const sides: Side[] = []
          try {
            for (const engine of [first, second]) sides.push(await startSide(engine, ''))
            for (const side of sides) await calm(side)
            return await work([sides[0]!, sides[1]!])
          } finally {
            for (const side of sides) await side.close()
          }
        }),
      ),
  }
}

/** The population and those who play gigs are one: all of them are copied. */
async function play(dataDir: string): Promise<{ population: Population; pairs: readonly Pair[] }> {
  const running = await benchStart(dataDir)
  try {
    const { system } = running
    const population = await playAll(system)
    const { validators, pairs } = await newGigPlayers(system)
    await playRound(system, pairs)
    const others = [...validators, ...pairs.flatMap(({ poster, worker }) => [poster, worker])]
    for (const { id } of others) await until('it is on chain', async () => (await system.get(`/api/agents/${id}`)).erc8004Registered === true)
    const names = [...population.names, ...others.map(({ handle }) => handle)]
    return { population: { ...population, names, players: [...population.players, ...others] }, pairs }
  } finally {
    await running.end()
  }
}

async function onEngine<T>(dataDir: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await startEngine(dataDir, console.error)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}
