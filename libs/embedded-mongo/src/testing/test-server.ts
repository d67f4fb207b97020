import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, MongoClient, type MongoClientOptions, MongoServerError } from 'mongodb'
import { type RunningServer, start } from '../start.ts'

/** A server for one test file, with a client and a temporary folder. */
export interface TestServer {
  server: RunningServer
  client: MongoClient
  path: string
  /** A database that no other test uses. */
  db(): Db
  connect(options?: MongoClientOptions): Promise<MongoClient>
  /** Closes the server and opens it again on the same folder. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startTestServer(options: { testCommands?: boolean } = {}): Promise<TestServer> {
  const path = await mkdtemp(join(tmpdir(), 'embedded-mongo-test-'))
  const extra: MongoClient[] = []
  let databases = 0
  const open = async () => {
    test.server = await start({ path, port: 0, testCommands: options.testCommands === true })
    test.client = await new MongoClient(test.server.uri).connect()
  }
  const close = async () => {
    for (const client of [test.client, ...extra.splice(0)]) await client.close()
    await test.server.close()
  }
  const test: TestServer = {
    server: { uri: '', close: async () => {} },
    client: new MongoClient('mongodb://127.0.0.1:1/'),
    path,
    db: () => {
      databases += 1
      return test.client.db(`test${databases}`)
    },
    connect: async given => {
      const client = await new MongoClient(test.server.uri, given).connect()
      extra.push(client)
      return client
    },
    restart: async () => {
      await close()
      await open()
    },
    stop: async () => {
      await close()
      await rm(path, { recursive: true, force: true })
    },
  }
  await open()
  return test
}

/** The server's error that the action ends with; fails the test if it succeeds. */
export async function refusalOf(action: Promise<unknown>): Promise<MongoServerError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof MongoServerError) return error
  throw new Error(`expected a server error, got ${String(error)}`)
}
