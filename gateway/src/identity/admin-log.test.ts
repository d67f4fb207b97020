import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import mongoose from 'mongoose'
import { type Harness, startHarness } from '../testing/harness.ts'
import type { AdminCall } from './admin-log.ts'

const admin = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

describe('the log of admin calls', () => {
  let harness: Harness
  let connection: mongoose.Connection
  before(async () => {
    harness = await startHarness({ ADMIN_WALLETS: admin })
    connection = await mongoose.createConnection(harness.mongo.uri, { dbName: `${harness.mongo.prefix}carapace_gateway` }).asPromise()
  })
  after(async () => {
    await connection.close()
    await harness.close()
  })

  it('holds who did what and why, with the outcome, and no reads or refused callers', async () => {
    const path = `/api/admin/agents/${harness.agent().agentId}/suspend`
    const call = (wallet: string, body: object) => harness.call('POST', path, { body, headers: { 'x-admin-wallet': wallet } })

    const done = await call(admin.toLowerCase(), { suspended: true, reason: 'spam' })
    await call(`0x${'12'.repeat(20)}`, { suspended: true, reason: 'mischief' })
    await harness.call('GET', '/api/admin/chain-queue', { headers: { 'x-admin-wallet': admin } })

    const calls = connection.collection<AdminCall>('admin_calls')
    await until('the outcome is there', async () => (await calls.findOne({ status: 200 })) !== null)
    const rows = await calls.find().toArray()
    assert.deepEqual(
      rows.map(({ _id, at, ...row }) => row),
      [{ requestId: done.headers.get('x-request-id'), wallet: admin, kind: 'admin', method: 'POST', path, reason: 'spam', status: 200 }],
    )
  })

  it('holds the query of a call, which names the network of a numbered job', async () => {
    const path = '/api/erc8183/jobs/7/settle?chain=SKALE_TESTNET'
    await harness.call('POST', path, { body: { reason: 'late' }, headers: { 'x-admin-wallet': admin } })

    assert.equal((await connection.collection<AdminCall>('admin_calls').findOne({ reason: 'late' }))?.path, path)
  })

  it('has an entry for each of two calls with one request id', async () => {
    const path = `/api/admin/agents/${harness.agent().agentId}/suspend`
    for (let i = 0; i < 2; i++)
      await harness.call('POST', path, { body: { suspended: true, reason: 'twice' }, headers: { 'x-admin-wallet': admin, 'x-request-id': 'again' } })

    assert.equal(await connection.collection<AdminCall>('admin_calls').countDocuments({ requestId: 'again' }), 2)
  })
})
