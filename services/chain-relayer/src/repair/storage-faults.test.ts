import { inProcessBus, quiet } from '@carapace/bus'
import { openDatabase } from '@carapace/store'
import { type FaultProxy, seeded, startFaultProxy } from '@carapace/testing'
import { openCollections } from '../lane/collections.ts'
import { type Kit, quickTimings, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork } from '../testing/workload.ts'

/** The lane's own way to its records fails; the test reads them by another. */
describe('a lane that loses its database', function () {
  this.timeout(180_000)
  const random = seeded(23)
  let kit: Kit
  let proxy: FaultProxy
  let closeDatabase: () => Promise<void>

  beforeEach(async () => {
    // A service's outbox does not abandon its events either.
    kit = await startKit({ bus: inProcessBus({ log: quiet, retry: { delaysMs: [50, 100, 200], limit: 1_000 } }) })
    await fundTokens(kit.rpc, kit.devnet.addresses)
    const { host, port } = placeOf(kit.place.mongoUri)
    proxy = await startFaultProxy({ host, port })
    const uri = withPlace(kit.place.mongoUri, proxy.port)
    const database = await openDatabase({ uri, name: kit.place.database })
    closeDatabase = () => database.close()
    await kit.start({ commandOf: countableKinds, batchSize: 10, db: await openCollections(database) })
  })
  afterEach(async () => {
    proxy.pass()
    await kit.close()
    await closeDatabase()
    await proxy.close()
  })

  const run = async (disturb: () => Promise<void>) => {
    const work = makeWork(60)
    const early = kit.send(...work.slice(0, 30).map(one => one.draft))
    await disturb()
    await Promise.all([early, kit.send(...work.slice(30).map(one => one.draft))])
    await allOver(kit, work, 90)
    await assertExactlyOnce(kit, work)
  }
  const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

  it('does nothing twice when connections break in the middle of writes, whose answers are lost', async () => {
    await run(async () => {
      for (let round = 0; round < 12; round++) {
        await pause(10 + random() * 60)
        proxy.reset()
      }
    })
  })

  it('and whose writes hang, until another can acquire the lease', async () => {
    await run(async () => {
      await pause(30)
      proxy.hold()
      await pause(quickTimings.leaseTrustMs + 500)
      proxy.reset()
      proxy.pass()
    })
  })
})

function placeOf(uri: string): { host: string; port: number } {
  const [, host = '127.0.0.1', port = '27017'] = /^mongodb:\/\/(?:[^@/]*@)?([^:/,]+)(?::(\d+))?/.exec(uri) ?? []
  return { host, port: Number(port) }
}

/** The same server at another port. The client connects there only: members of a replica set would name their own address. */
function withPlace(uri: string, port: number): string {
  const direct = uri.replace(/^(mongodb:\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${port}`)
  return /directConnection=/.test(direct) ? direct : `${direct}${direct.includes('?') ? '&' : '?'}directConnection=true`
}
