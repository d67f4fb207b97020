import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import mongoose from 'mongoose'
import { startWorld, type World } from '../testing/world.ts'
import type { AdminCall } from './admin-log.ts'

const admin = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

describe('the log of admin calls', () => {
  let world: World
  let connection: mongoose.Connection
  before(async () => {
    world = await startWorld({ ADMIN_WALLETS: admin })
    connection = await mongoose.createConnection(world.mongo.uri, { dbName: `${world.mongo.prefix}carapace_gateway` }).asPromise()
  })
  after(async () => {
    await connection.close()
    await world.close()
  })

  it('holds who did what and why, with the outcome, and no reads or refused callers', async () => {
    const path = `/api/admin/agents/${world.agent().agentId}/suspend`
    const call = (wallet: string, body: object) => world.call('POST', path, { body, headers: { 'x-admin-wallet': wallet } })

    const done = await call(admin.toLowerCase(), { suspended: true, reason: 'spam' })
    await call(`0x${'12'.repeat(20)}`, { suspended: true, reason: 'mischief' })
    await world.call('GET', '/api/admin/chain-queue', { headers: { 'x-admin-wallet': admin } })

    const calls = connection.collection<AdminCall>('admin_calls')
    await until('the outcome is there', async () => (await calls.findOne({ status: 200 })) !== null)
    const rows = await calls.find().toArray()
    assert.deepEqual(
      rows.map(({ _id, at: _, ...row }) => [_id, row]),
      [[done.headers.get('x-request-id'), { wallet: admin, kind: 'admin', method: 'POST', path, reason: 'spam', status: 200 }]],
    )
  })
})
