import assert from 'node:assert/strict'
import { readConfig } from '@carapace/service'
import { httpCall } from '@carapace/testing'
import { authPolicy } from './auth-policy.ts'
import { devnets } from './testing/devnets.ts'
import { startHarness } from './testing/harness.ts'

const real = devnets.map(network => ({ ...network, devnet: false }))

describe('the mode of identity', () => {
  const mode = (env: Record<string, string>, networks: Parameters<typeof authPolicy>[1] = devnets) => authPolicy(readConfig(env), networks)

  it('is signed unless configured otherwise', () => {
    assert.deepEqual(mode({}, undefined), { mode: 'signed', exposed: false })
  })

  it('may be plain on loopback with devnets', () => {
    assert.deepEqual(mode({ AUTH_MODE: 'plain' }), { mode: 'plain', exposed: false })
  })

  it('may not be plain beyond this machine, with real networks, or with unknown ones', () => {
    assert.throws(() => mode({ AUTH_MODE: 'plain', HOST: '0.0.0.0' }), /HOST is 0\.0\.0\.0.*PLAIN_MODE_ACCEPTED=yes/)
    assert.throws(() => mode({ AUTH_MODE: 'plain' }, real), /BASE_SEPOLIA is a real network/)
    assert.throws(() => authPolicy(readConfig({ AUTH_MODE: 'plain' }), undefined), /not known/)
  })

  it('may be plain there once that is accepted, and counts as exposed', () => {
    assert.deepEqual(mode({ AUTH_MODE: 'plain', HOST: '0.0.0.0', PLAIN_MODE_ACCEPTED: 'yes' }), { mode: 'plain', exposed: true })
  })

  it('reads the networks from the relayer when they are not configured', async () => {
    const harness = await startHarness({}, { networks: undefined })
    try {
      assert.equal((await harness.call('GET', '/api/networks')).body.networks.length, 2)
    } finally {
      await harness.close()
    }
  })

  it('requires a signature for admin calls and treasury spending when it is exposed', async () => {
    const admin = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    const harness = await startHarness({ PLAIN_MODE_ACCEPTED: 'yes', ADMIN_WALLETS: admin, ADMIN_API_KEY: 'sixteen-characters' }, { networks: real })
    try {
      const { agentId, wallet } = harness.agent()
      const headers = { 'x-agent-id': agentId, 'x-wallet-address': wallet }
      const code = async (method: string, path: string, own: Record<string, string>) =>
        (await httpCall(harness.url, method, path, { headers: own, ...(method === 'POST' ? { body: {} } : {}) })).body.code

      // the escrow requires a signature where it draws on a wallet, an authorisation in the body is proof enough
      for (const path of ['/api/gigs', '/api/escrow/create', '/api/agent-payments/fund-escrow', `/api/bond/${agentId}/deposit`]) {
        const plain = await httpCall(harness.url, 'POST', path, { headers, body: {} })
        assert.deepEqual([plain.status, plain.body.context.exposed, plain.body.context.signedBy], [200, true, undefined], path)
      }
      for (const name of ['pay', 'withdraw'])
        assert.equal(await code('POST', `/api/agents/${agentId}/treasury/${name}`, headers), 'SIGNATURE_REQUIRED')
      assert.equal(
        await code('GET', '/api/admin/dead-letters', { 'x-admin-wallet': admin, 'x-admin-key': 'sixteen-characters' }),
        'SIGNATURE_REQUIRED',
      )
      assert.equal(await code('POST', '/api/sandbox/clock', {}), 'ROUTE_NOT_FOUND')
    } finally {
      await harness.close()
    }
  })

  it('refuses to start on a wallet that is none', async () => {
    await assert.rejects(startHarness({ ADMIN_WALLETS: '0x12' }), /ADMIN_WALLETS: 0x12/)
    await assert.rejects(startHarness({ X402_PAY_TO_ADDRESS: '0x12' }), /X402_PAY_TO_ADDRESS/)
  })
})
