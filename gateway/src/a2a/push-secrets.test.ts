import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDatabase } from '@carapace/store'
import { httpCall, until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'
import type { StoredTask } from './tasks.ts'

describe('the token of a push notification', () => {
  let harness: Harness
  let receiver: Server
  const tokens: unknown[] = []
  before(async () => {
    harness = await startHarness({ WEBHOOK_LOOPBACK: 'yes' })
    receiver = createServer((request, response) => {
      tokens.push(request.headers['x-a2a-notification-token'])
      response.end()
    }).listen(0, '127.0.0.1')
  })
  after(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await harness.close()
  })

  it('is sealed in the database, also where an older version has stored it as it is', async () => {
    const gig = { id: randomUUID(), status: 'open', escrowStatus: 'locked', validationId: null, updatedAt: '2026-01-01T00:00:00.000Z' }
    harness.upstream.gigs.set(gig.id, gig)
    harness.upstream.answer = (_seen, response) => json(response, 200, gig)
    const { agentId, wallet } = harness.agent()
    const config = { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, token: 'secret-token' }
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: `gig_status ${gig.id}` }] }
    const { body } = await httpCall(harness.url, 'POST', '/a2a', {
      body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message, configuration: { taskPushNotificationConfig: config } } },
      headers: { 'a2a-version': '1.0', 'x-agent-id': agentId, 'x-wallet-address': wallet },
    })
    const db = await openDatabase({ uri: harness.mongo.uri, name: `${harness.mongo.prefix}carapace_gateway` })
    const tasks = db.connection.collection<Pick<StoredTask, '_id' | 'configs'>>('a2a_tasks')
    const _id = body.result.task.id as string
    const stored = async () => (await tasks.findOne({ _id }))!.configs
    const isSealed = async () => !JSON.stringify(await stored()).includes('secret-token')
    await until('it is pushed', () => tokens.length > 0)
    assert.ok(await isSealed())

    const id = (await stored())[0]!.id
    await tasks.updateOne({ _id }, { $set: { configs: [{ id, config: { ...config, id, taskId: _id } }] } })
    await until('it is sealed', isSealed)
    const before = tokens.length
    gig.status = 'assigned'
    await until('it is pushed again', () => tokens.length > before)

    assert.deepEqual([...new Set(tokens)], ['secret-token'])
    await db.close()
  })
})
