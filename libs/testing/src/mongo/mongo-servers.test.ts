import assert from 'node:assert/strict'
import { MongoClient } from 'mongodb'
import { type MongoServer, mongoServers, type Surroundings } from './mongo-servers.ts'
import { type OwnMongo, ownMongo } from './own-mongo.ts'

const nothing: Surroundings = { given: undefined, container: async () => undefined }
const running = (uri: string, close = async () => {}) => ({ container: async () => ({ uri, close }) })

async function all(surroundings: Partial<Surroundings>): Promise<MongoServer[]> {
  const found: MongoServer[] = []
  for await (const server of mongoServers({ ...nothing, ...surroundings })) found.push(server)
  return found
}
const names = async (surroundings: Partial<Surroundings>) => (await all(surroundings)).map(({ name }) => name)

describe('the databases of tests', () => {
  let own: OwnMongo
  before(async () => {
    own = await ownMongo()
    await own.start()
  })
  after(() => own?.remove())
  const databasesWith = async (prefix: string) => {
    const client = await MongoClient.connect(own.uri)
    try {
      const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
      return databases.filter(({ name }) => name.startsWith(prefix)).length
    } finally {
      await client.close()
    }
  }

  it('are that of MONGODB_URI, then one in a container, then the embedded engine, as far as they are there', async () => {
    const [given, container] = [{ given: own.uri }, running(own.uri)]

    assert.deepEqual(await names({ ...given, ...container }), ['the MongoDB of MONGODB_URI', 'MongoDB in a container', 'the embedded engine'])
    assert.deepEqual(await names(given), ['the MongoDB of MONGODB_URI', 'the embedded engine'])
    assert.deepEqual(await names(container), ['MongoDB in a container', 'the embedded engine'])
    assert.deepEqual(await names({}), ['the embedded engine'])
  })

  it('start no container where a server is given and one is enough', async () => {
    const container = () => Promise.reject(new Error('a container was started'))

    const { value } = await mongoServers({ given: own.uri, container }).next()

    assert.equal((value as MongoServer).name, 'the MongoDB of MONGODB_URI')
  })

  it('share a server by prefixes, and leave it without what they wrote', async () => {
    const [server] = (await all({ given: own.uri })) as [MongoServer]
    const [one, other] = [await server.acquire(), await server.acquire()]
    for (const { uri, prefix } of [one, other]) {
      const client = await MongoClient.connect(uri)
      await client.db(`${prefix}things`).collection('things').insertOne({ n: 1 })
      await client.close()
    }

    await one.close()

    assert.deepEqual([await databasesWith(one.prefix), await databasesWith(other.prefix)], [0, 1])
    await other.close()
  })

  it('end the container of their own with them', async () => {
    let ended = 0
    const close = async () => {
      ended++
    }
    const [server] = (await all(running(own.uri, close))) as [MongoServer]
    const mongo = await server.acquire()

    await mongo.close()

    assert.equal(ended, 1)
  })
})
