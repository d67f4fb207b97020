import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openSystem, type System } from '@carapace/testing'
import { processVariables } from '../config.ts'
import { startEngine } from '../engine.ts'
import { startLocal, startOwning } from '../start.ts'
import { monitored } from './note-commands.ts'

/** An embedded start in this process on a folder of its own, whose database commands can be noted. */
export const startMonitored = (): Promise<{ system: System; close(): Promise<void> }> =>
  startOwning(async own => {
    const folder = await mkdtemp(path.join(tmpdir(), 'carapace-operations-'))
    own({ close: () => rm(folder, { recursive: true, force: true }) })
    const { uri } = own(await startEngine(folder, why => console.error(why)))
    const { url } = own(await startLocal({ ...settings, DATA_DIR: folder, MONGODB_URI: monitored(uri) }))
    const system = await openSystem(url)
    own({ close: async () => system.close() })
    return { system }
  })

const settings = {
  ...{ PATH: processVariables.PATH, LOG_LEVEL: 'error' },
  ...{ PORT: '0', DEVNET_RPC_PORT: '0', RATE_LIMIT_READ: '1000000', RATE_LIMIT_WRITE: '1000000' },
}
