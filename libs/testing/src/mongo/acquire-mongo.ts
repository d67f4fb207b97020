import { requestShared } from '../door.ts'
import { type RunningMongo, startMongoContainer } from './mongo-container.ts'
import { type MongoServer, mongoServers, type TestMongo } from './mongo-servers.ts'

/**
 * A database for one test file: MONGODB_URI if it is set, else a container where an engine answers and has or gets the image, which the files of a test
 * run share, else the embedded engine on a folder of its own.
 */
export async function acquireMongo(): Promise<TestMongo> {
  const { value } = await findServers().next()
  return (value as MongoServer).acquire()
}

/**
 * A `describe` that runs on each database server that is there, which its title names: what a store does is one thing on all of them.
 * @example await onEachMongo('ledger', acquire => { before(async () => { mongo = await acquire() }) })
 */
export async function onEachMongo(title: string, suite: (this: Mocha.Suite, acquire: () => Promise<TestMongo>) => void): Promise<void> {
  for await (const { name, acquire } of findServers())
    describe(`${title}, on ${name}`, function () {
      suite.call(this, acquire)
    })
}

const findServers = () => mongoServers({ given: process.env.MONGODB_URI, container: sharedContainer })

/** That of the test run, which ends it, or one of our own. */
async function sharedContainer(): Promise<RunningMongo | undefined> {
  const shared = await requestShared<{ uri?: string }>('mongo')
  if (!shared) return startMongoContainer()
  await shared.stop()
  return shared.uri === undefined ? undefined : { uri: shared.uri, close: async () => {} }
}
