import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@carapace/testing'
import { a2aClient } from '../testing/a2a-client.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('pushes of tasks of nobody', () => {
  let harness: Harness
  let receiver: Server
  /** Requests that wait for their answers, by path. */
  const waiting: [path: string, response: ServerResponse][] = []
  before(async () => {
    harness = await startHarness({ WEBHOOK_LOOPBACK: 'yes' })
    receiver = createServer((request, response) => void waiting.push([request.url!, response])).listen(0, '127.0.0.1')
  })
  after(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await harness.close()
  })

  it('have one share together, and what waits for it goes out as soon as there is room', async () => {
    const { rpc, follow } = a2aClient(harness)
    const { agentId, wallet } = harness.agent()
    const agent = { 'x-agent-id': agentId, 'x-wallet-address': wallet }
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    /** A change of the task is pushed. */
    const changed = async (owner: Record<string, string>, path: string) => {
      const { id } = await follow(owner)
      await rpc('CreateTaskPushNotificationConfig', { taskId: id, url: url + path }, agent)
      await rpc('CancelTask', { id }, owner)
    }
    const paths = () => waiting.map(([path]) => path)
    const [first, second, third] = ['/nobody-1', '/nobody-2', '/nobody-3'] as const
    for (const path of [first, second, third]) await changed({}, path)
    await changed(agent, '/agent')

    await until('what came later, of another, is pushed', () => paths().includes('/agent'))
    assert.deepEqual(paths().sort(), ['/agent', first, second])
    for (const [, response] of waiting) response.end()

    await until('the third is pushed', () => paths().includes(third), 4)
  })
})
