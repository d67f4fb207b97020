import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { start } from '@carapace/embedded-mongo'
import getPort from 'get-port'

export interface TestMongo {
  uri: string
  /** This prefix separates databases, so that runs share a server without meeting. */
  prefix: string
  close(): Promise<void>
}

/** MONGODB_URI if it is set, else the embedded engine on a folder of its own. */
export async function acquireMongo(): Promise<TestMongo> {
  const prefix = `t${process.pid}_${Math.random().toString(36).slice(2, 8)}_`
  const uri = process.env.MONGODB_URI
  if (uri) return { uri, prefix, close: () => dropAll(uri, prefix) }
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-mongo-'))
  const engine = await start({ port: 0, path: folder })
  return {
    uri: engine.uri,
    prefix,
    close: async () => {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

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

async function dropAll(uri: string, prefix: string): Promise<void> {
  const { MongoClient } = await import('mongodb')
  const client = await MongoClient.connect(uri)
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase()
  await client.close()
}
