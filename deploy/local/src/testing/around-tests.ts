import type { Chain } from '@carapace/api'
import type { ReplacementGroup } from '@carapace/contracts'
import { startGateway } from '@carapace/gateway'
import { type ChainPlatform, type ChainPlatformOptions, startChainPlatform, startTestEnvironment, type TestEnvironment } from '@carapace/testing'
import { services } from '../services.ts'
import { type Child, startChild, temporaryDataDir } from './child.ts'
import { type DistributedSystem, type SystemOptions, startDistributedSystem } from './distributed.ts'
import { replaceContract } from './further-contract.ts'
import { newValidators } from './scenarios.ts'

type PlatformOptions = Partial<Omit<ChainPlatformOptions, 'services'>> & {
  /** With agents that may validate. */
  validators?: boolean
}

/**
 * All services in one process, around the tests of a `describe`.
 * @returns the platform, usable in tests and in later hooks
 * @example const platform = platformAroundTests({ validators: true })
 */
export function platformAroundTests({ validators = false, ...options }: PlatformOptions = {}): ChainPlatform {
  const platform = aroundTests(
    () => startChainPlatform({ services, startGateway, ...options }),
    started => started.end(),
  )
  if (validators)
    before(async () => {
      await newValidators(platform)
    })
  return platform
}

/**
 * All services in one process, in an environment that outlasts it, around the tests of a `describe`: it runs before them, and `replace` ends it.
 * @returns `platform`: the one that was started last; `start`: the next one, which knows the further contract
 * @example const { platform, start, replace } = replacementAroundTests('BASE_SEPOLIA', 'Escrow', { INTERNAL_KEY })
 */
export function replacementAroundTests(chain: Chain, name: ReplacementGroup, env: Record<string, string>) {
  let environment: TestEnvironment | undefined
  let platform: ChainPlatform | undefined
  const start = async (): Promise<void> => {
    platform = await startChainPlatform({ services, startGateway, environment: environment!, env })
  }
  before(async () => {
    environment = await startTestEnvironment()
    await start()
  })
  after(async () => {
    await platform?.end()
    await environment?.close()
  })
  return {
    platform: present(() => platform),
    start,
    replace: async (): ReturnType<typeof replaceContract> => {
      await platform?.end()
      return replaceContract(environment!, chain, name)
    },
  }
}

/** `npm start` as a process of its own, with a data folder of its own, around the tests of a `describe`. @param variables made just before the start */
export function childAroundTests(
  variables: () => Record<string, string> | Promise<Record<string, string>> = () => ({}),
): Child & { dataDir: string } {
  return aroundTests(
    async () => {
      const folder = await temporaryDataDir()
      const child = await startChild(folder.path, await variables()).catch(async (error: unknown) => {
        await folder.remove()
        throw error
      })
      // the folder goes last: until its end the process writes there
      return { ...child, dataDir: folder.path, end: () => child.stop().then(() => folder.remove()) }
    },
    started => started.end(),
  )
}

/** All services as processes of their own, around the tests of a `describe`. */
export const distributedAroundTests = (options?: SystemOptions): DistributedSystem =>
  aroundTests(
    () => startDistributedSystem(options),
    started => started.end(),
  )

/** What is started before the tests and ended after them: its properties exist once the tests run. */
function aroundTests<Started extends object>(start: () => Promise<Started>, end: (started: Started) => Promise<unknown>): Started {
  let starting: Promise<Started> | undefined
  let started: Started | undefined
  before(async () => {
    starting = start()
    started = await starting
  })
  // a start that outlasts its hook is ended too
  after(async () => {
    const late = await starting?.catch(() => undefined)
    if (late) await end(late)
  })
  return present(() => started)
}

/** What is there by the time that a property of it is used. */
const present = <T extends object>(current: () => T | undefined): T =>
  new Proxy({} as T, {
    get: (_, name) => {
      const started = current()
      if (!started) throw new Error(`${String(name)}: nothing is started before the tests run`)
      return Reflect.get(started, name)
    },
  })
