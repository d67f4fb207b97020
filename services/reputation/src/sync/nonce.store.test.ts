import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Chain } from '@carapace/api'
import { type Database, openDatabase, transact } from '@carapace/store'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import { batchNonces } from './nonce.store.ts'

await onEachMongo('nonces of score batches', acquireMongo => {
  let mongo: TestMongo
  const open: Database[] = []
  before(async () => {
    mongo = await acquireMongo()
  })
  after(async () => {
    for (const db of open) await db.close()
    await mongo.close()
  })
  const noncesAt = async (time: number, name: string) => {
    const db = await openDatabase({ uri: mongo.uri, name, clock: { now: () => new Date(time) } })
    open.push(db)
    const nonces = batchNonces(db)
    return { next: (of: Chain) => transact({ db }, session => nonces.next(of, session)) }
  }
  const newName = () => `${mongo.prefix}${randomUUID().slice(0, 8)}`
  const chain = 'BASE_SEPOLIA'

  it('rise with the time, and where a clock is stalled or late', async () => {
    const name = newName()
    const [present, late] = [await noncesAt(5_000_000, name), await noncesAt(1_000, name)]

    const given = [await present.next(chain), await present.next(chain), await late.next(chain), await present.next('SKALE_TESTNET')]

    assert.deepEqual(given, [5_000_000n, 5_000_001n, 5_000_002n, 5_000_000n])
  })

  it('are above all that an older copy of the database has forgotten', async () => {
    const before = await (await noncesAt(7_000, newName())).next(chain)
    const restored = await noncesAt(7_001, newName())

    assert.ok((await restored.next(chain)) > before)
  })

  it('are given once, however many replicas claim them at the same time', async () => {
    const name = newName()
    const replicas = [await noncesAt(1_000, name), await noncesAt(1_000, name)]

    const given = await Promise.all(replicas.flatMap(nonces => Array.from({ length: 10 }, () => nonces.next(chain))))

    assert.equal(new Set(given).size, 20)
  })
})
