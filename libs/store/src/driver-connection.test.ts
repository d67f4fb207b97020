import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { acquireMongo, type FaultProxy, startFaultProxy, type TestMongo } from '@carapace/testing'
import { type Database, openDatabase } from './database.ts'

describe('a database whose server goes away', () => {
  let mongo: TestMongo
  let proxy: FaultProxy
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    const { hostname, port } = new URL(mongo.uri)
    // The end of a Unix socket is seen in the middle of a write; that of a TCP connection only later.
    const socket = path.join(tmpdir(), `${mongo.prefix}gone.sock`)
    proxy = await startFaultProxy({ host: hostname, port: Number(port) }, socket)
    db = await openDatabase({ uri: `mongodb://${encodeURIComponent(socket)}/?directConnection=true`, name: `${mongo.prefix}gone` })
  })
  after(async () => {
    await db.close()
    await proxy.close()
    await mongo.close()
  })

  it('answers what is requested between the end of its connections and the news of it', async () => {
    const rows = db.connection.collection<{ _id: number; n: number }>('rows')
    await rows.insertOne({ _id: 1, n: 0 })
    const commands = [() => rows.findOne({ _id: 1 }), () => rows.updateOne({ _id: 1 }, { $inc: { n: 1 } })]
    for (const command of [...commands, ...commands]) {
      await Promise.all(Array.from({ length: 8 }, () => rows.findOne({ _id: 1 })))
      await nextImmediate()

      proxy.cut()
      proxy.pass()
      // By then the ends are read, but `close` comes at the end of the tick.
      await nextImmediate()
      await command()
    }
    assert.equal((await rows.findOne({ _id: 1 }))?.n, 2)
  })

  it('answers what is written to connections that are closed already', async () => {
    const rows = db.connection.collection<{ _id: number }>('rows')
    for (let round = 1; round <= 5; round++) {
      await Promise.all(Array.from({ length: 8 }, () => rows.findOne({ _id: 1 })))

      proxy.cut()
      proxy.pass()

      await rows.findOne({ _id: 1 })
    }
  })

  it('uses the copy of the driver that mongoose uses', () => {
    const driverOf = (url: string) => createRequire(url).resolve('mongodb')
    assert.equal(driverOf(import.meta.url), driverOf(import.meta.resolve('mongoose')))
  })
})
