import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { start } from '@carapace/embedded-mongo'
import getPort from 'get-port'

/** A database of one's own that comes, goes away and comes back at the same address with its data. */
export interface OwnMongo {
  uri: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

/** The embedded engine on a port of its own. Nothing answers there before `start`. */
export async function ownMongo(): Promise<OwnMongo> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-mongo-'))
  const port = await getPort({ host: '127.0.0.1' })
  let engine: Awaited<ReturnType<typeof start>> | undefined
  const stop = async () => {
    await engine?.close()
    engine = undefined
  }
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    start: async () => {
      engine = await start({ port, path: folder })
    },
    stop,
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
