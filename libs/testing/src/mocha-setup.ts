import { acquirePlace } from './broker/broker.ts'
import { type BrokerSource, openBrokerSource } from './broker/broker-source.ts'
import { type Door, type Lease, openDoor, type Shared } from './door.ts'
import { type RunningMongo, startMongoContainer } from './mongo/mongo-container.ts'

/**
 * Mocha's global fixtures (`require` in .mocharc.cjs). They run once, in the parent of the parallel workers: it opens a door at which test files request
 * a broker and a database, starts each when the first file does, and stops them in the end. The embedded engine is no matter of theirs: each file that
 * uses it has one of its own.
 */
let door: Door
let broker: Promise<BrokerSource> | undefined
let mongo: Promise<RunningMongo | undefined> | undefined

const acquire: Record<Shared, () => Promise<Lease<object>>> = {
  broker: async () => {
    broker ??= openBrokerSource()
    return acquirePlace(await broker)
  },
  mongo: async () => {
    mongo ??= startMongoContainer()
    return { uri: (await mongo)?.uri, stop: async () => {} }
  },
}

export async function mochaGlobalSetup(): Promise<void> {
  door = await openDoor(what => acquire[what]())
}

export async function mochaGlobalTeardown(): Promise<void> {
  await door.close()
  for (const opened of [broker, mongo]) await (await opened?.catch(() => undefined))?.close()
}
