import { randomInt } from 'node:crypto'
import type { ServiceName } from '@carapace/api'
import { isUnavailable, noteForm, openDatabase, openOutbox, wallClock } from '@carapace/store'
import { v7 } from 'uuid'
import { openPlatformClock } from '../clock/platform-clock.ts'
import { waiter } from '../clock/wait.ts'
import { keysAccepted } from '../context/context.ts'
import { openSealing } from '../context/sealing.ts'
import type { Platform } from '../define.ts'
import { makePeers } from '../peers/peers.ts'
import { perKeyQueue } from '../sharing/per-key-queue.ts'
import { currentTrace, traceparentOf } from '../telemetry/trace.ts'
import type { Runtime } from './runtime.ts'

/** What the handlers, rules and jobs of a service run on, with its database open. `endWaits` answers those who wait for a change. */
export async function openPlatform(
  name: ServiceName,
  runtime: Runtime & Pick<Platform, 'prerequisites' | 'metrics'> & { form: number },
  mayPublish: Promise<void>,
): Promise<{ platform: Platform; endWaits: () => void }> {
  const { config, prerequisites, metrics } = runtime
  const newId = runtime.newId ?? (() => v7())
  const clock = { now: () => wallClock.now() }
  const options = {
    uri: runtime.mongoUri,
    name: databaseName(name, config.DB_PREFIX),
    clock: { now: () => clock.now() },
    newId,
    traceparent: () => traceparentOf(currentTrace()),
    exclusive: runtime.exclusive ?? false,
  }
  const db = await prerequisites.open('mongodb', () => openDatabase(options), isUnavailable)
  try {
    await noteForm(db, runtime.form)
    const platformClock = await openPlatformClock(db)
    clock.now = platformClock.now
    const waits = waiter(db, runtime.exclusive)
    const platform: Platform = {
      name,
      db,
      clock: platformClock,
      newId,
      random: runtime.random ?? unforeseeable,
      emit: openOutbox(db),
      bus: runtime.bus,
      mayPublish,
      peers: makePeers(runtime.address, runtime.internalKey),
      wait: waits.wait,
      queue: perKeyQueue(),
      sealing: openSealing(keysAccepted(runtime.internalKey, config)),
      config,
      metrics,
      prerequisites,
      log: runtime.log.child({ service: name }),
      outcomes: { faults: async () => [], awaits: async () => [] },
    }
    return { platform, endWaits: waits.close }
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Not Math.random: from some of its numbers the next ones can be computed. */
const unforeseeable = (): number => randomInt(numbers) / numbers
const numbers = 2 ** 47

/** The database of a process. @param prefix DB_PREFIX */
export const databaseName = (service: string, prefix: string): string => `${prefix}carapace_${service.replaceAll('-', '_')}`
