import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { start } from '@carapace/embedded-mongo'
import { MongoClient } from 'mongodb'
import type { RunningMongo } from './mongo-container.ts'

/** A MongoDB that a test uses until it closes it. */
export interface TestMongo {
  uri: string
  /** This prefix separates databases, so that runs share a server without meeting. */
  prefix: string
  close(): Promise<void>
}

/** Where tests get a MongoDB from, as their titles name it. */
export interface MongoServer {
  name: string
  acquire(): Promise<TestMongo>
}

/** What there is but for the embedded engine. */
export interface Surroundings {
  /** MONGODB_URI. */
  given: string | undefined
  container(): Promise<RunningMongo | undefined>
}

/** The servers that are there, the preferred one first; those after it are found only when they are requested. */
export async function* mongoServers({ given, container }: Surroundings): AsyncGenerator<MongoServer, void> {
  if (given) yield { name: 'the MongoDB of MONGODB_URI', acquire: async () => share(given) }
  const running = await container()
  if (running) yield { name: 'MongoDB in a container', acquire: async () => share(running.uri, running.close) }
  yield { name: 'the embedded engine', acquire: startEmbedded }
}

/** @param afterwards ends the server, where this is its only test */
function share(uri: string, afterwards: () => Promise<void> = async () => {}): TestMongo {
  const prefix = newPrefix()
  const close = async () => {
    try {
      await dropAll(uri, prefix)
    } finally {
      await afterwards()
    }
  }
  return { uri, prefix, close }
}

async function startEmbedded(): Promise<TestMongo> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-mongo-'))
  const engine = await start({ port: 0, path: folder })
  return {
    uri: engine.uri,
    prefix: newPrefix(),
    close: async () => {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const newPrefix = () => `t${process.pid}_${Math.random().toString(36).slice(2, 8)}_`

async function dropAll(uri: string, prefix: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
    for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase()
  } finally {
    await client.close()
  }
}
