import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { newWallet } from '@carapace/testing'
import { type Harness, newHandle, startHarness } from '../testing/harness.ts'

describe('an invite', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ env: { INVITE_ONLY: 'yes' } })
  })
  after(() => harness.close())

  const admin = { 'x-admin-wallet': '0x00000000000000000000000000000000000000aa' }
  const invite = async (uses = 1): Promise<string> =>
    (await harness.call('POST', '/api/admin/invites', { body: { uses, expiresInHours: 1 }, headers: admin })).body.token
  const usesLeft = async (): Promise<number[]> =>
    (await harness.call('GET', '/api/admin/invites', { headers: admin })).body.invites.map((one: { usesLeft: number }) => one.usesLeft)
  const request = (registrationToken: string, handle = newHandle(), key = randomUUID()) => {
    const body = { handle, walletAddress: newWallet(), registrationToken }
    const headers = { prefer: 'respond-async', 'idempotency-key': key }
    return () => harness.call('POST', '/api/register-agent', { body, headers })
  }
  const rowsOf = (name: string) => harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>(name)

  it('still serves the request that used it when that is sent again after a crash at any step', async () => {
    const send = request(await invite())
    const { id } = (await send()).body.agent

    // as if the process had died just before the agent was recorded
    await rowsOf('agents').deleteOne({ _id: id })
    await rowsOf('idempotency').deleteMany({})
    const again = await send()
    // as if it had died just before the answer was recorded
    await rowsOf('idempotency').deleteMany({})
    const third = await send()

    assert.deepEqual([again.status, third.status, third.body.agent.id], [202, 202, again.body.agent.id])
    assert.deepEqual(await usesLeft(), [])
  })

  it('serves one agent alone, also under a key that was used a day before', async () => {
    const [token, key] = [await invite(), randomUUID()]
    assert.equal((await request(token, newHandle(), key)()).status, 202)
    // as when its stored answer has expired
    await rowsOf('idempotency').deleteMany({})

    assert.equal((await request(token, newHandle(), key)()).body.code, 'INVITE_REQUIRED')
  })

  it('serves another request where one was refused', async () => {
    const token = await invite()
    const claimed = (await request(await invite())()).body.agent.handle

    assert.equal((await request(token, claimed)()).body.code, 'DUPLICATE_HANDLE')
    assert.deepEqual(await usesLeft(), [1])
    assert.equal((await request(token)()).status, 202)
    assert.equal((await request(token)()).body.code, 'INVITE_REQUIRED')
  })
})
