import assert from 'node:assert/strict'
import { acquireMongo } from '@carapace/testing'
import mongoose from 'mongoose'
import { type Hello, serverFault } from './requirements.ts'

describe('a database server', () => {
  it('of the tests has all that the stores need', async () => {
    const mongo = await acquireMongo()
    const connection = await mongoose.createConnection(mongo.uri).asPromise()
    try {
      const hello = await connection.db!.command({ hello: 1 })
      assert.equal(serverFault(hello), undefined)
    } finally {
      await connection.close()
      await mongo.close()
    }
  })

  it('without a replica set has no transactions, and one that is too old lacks stages: each is named', () => {
    const faults = (hello: Hello) => serverFault(hello) ?? ''

    assert.match(faults({ maxWireVersion: 21 }), /no transactions.*--replSet/)
    assert.match(faults({ maxWireVersion: 8, setName: 'rs0' }), /too old.*\$unionWith.*4\.4/)
    assert.match(faults({}), /too old/)
  })

  it('is accepted as a router of a sharded cluster, and as a member of a set that is yet to be initiated', () => {
    assert.equal(serverFault({ maxWireVersion: 21, msg: 'isdbgrid' }), undefined)
    assert.equal(serverFault({ maxWireVersion: 21, isreplicaset: true }), undefined)
  })
})
