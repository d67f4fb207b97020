import { startGateway } from '@carapace/gateway'
import { type ChainPlatform, type ChainPlatformOptions, startChainPlatform } from '@carapace/testing'
import { services } from '../services.ts'
import { type Child, startChild, temporaryDataDir } from './child.ts'
import { type DistributedSystem, type SystemOptions, startDistributedSystem } from './distributed.ts'
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
  return new Proxy({} as Started, {
    get: (_, name) => {
      if (!started) throw new Error(`${String(name)}: nothing is started before the tests run`)
      return Reflect.get(started, name)
    },
  })
}
