import { MongoClient } from 'mongodb'
import { startContainer } from '../containers.ts'
import { until } from '../until.ts'

/** A server that runs until it is closed. */
export interface RunningMongo {
  uri: string
  close(): Promise<void>
}

const image = 'mongo:8'
const port = 27_017
/** A pull that lasts longer goes on and serves the next run. */
const containerMs = 60_000

/** A replica set of one in a container; undefined where none can be had. */
export async function startMongoContainer(): Promise<RunningMongo | undefined> {
  const started = await startContainer(image, made => made.withExposedPorts(port).withCommand(['--replSet', 'rs0', '--bind_ip_all']), containerMs)
  if (!started) return undefined
  const uri = `mongodb://${started.getHost()}:${started.getMappedPort(port)}/?directConnection=true`
  const close = async () => {
    await started.stop()
  }
  try {
    await initiate(uri)
    return { uri, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Makes it the primary of its set, if it is not yet. */
async function initiate(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  try {
    const admin = client.db('admin')
    const { isreplicaset: isUninitiated } = await admin.command({ hello: 1 })
    if (isUninitiated) await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: `127.0.0.1:${port}` }] } })
    await until('it is the primary', async () => (await admin.command({ hello: 1 })).isWritablePrimary)
  } finally {
    await client.close()
  }
}
