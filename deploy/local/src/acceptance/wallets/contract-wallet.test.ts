import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type Chain, chains } from '@carapace/api'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { platformAroundTests } from '../../testing/around-tests.ts'
import { newContractWallet } from '../../testing/contract-wallet.ts'

describe('an agent whose wallet is a contract', function () {
  this.timeout(120_000)
  // each request may name an address of its own: few reads of contracts are made for one
  const platform = platformAroundTests({ env: { AUTH_MODE: 'signed', TRUSTED_PROXIES: '127.0.0.1' } })

  let requests = 0
  const post = async (by: typeof fetch, path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${requests++ % 250}` }
    const answer = await by(platform.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as { code?: string; agentId?: string; agent?: { id: string } } }
  }
  const register = async (by: typeof fetch, walletAddress: string, chain: Chain) => {
    const { status, body } = await post(by, '/api/register-agent', { handle: `contract-${randomBytes(5).toString('hex')}`, walletAddress, chain })
    assert.equal(status, 201, JSON.stringify(body))
    return body.agent!.id
  }
  const setPolicy = (by: typeof fetch, id: string) => post(by, `/api/agents/${id}/auth-policy`, { requireSignature: true })

  for (const chain of chains)
    it(`signs by it (ERC-1271) on ${chain} alone, where it registered, and by its owner's key alone`, async () => {
      const wallet = await newContractWallet(platform)
      for (const one of chains) await wallet.deploy(one)
      const id = await register(wallet.fetchOn(chain), wallet.address, chain)
      const elsewhere = chains.find(other => other !== chain)!

      const own = await setPolicy(wallet.fetchOn(chain), id)
      const onOther = await setPolicy(wallet.fetchOn(elsewhere), id)
      const byOther = await setPolicy(wallet.fetchOn(chain, Wallet.createRandom()), id)

      assert.deepEqual([own.status, own.body.agentId], [200, id], JSON.stringify(own.body))
      for (const { status, body } of [onOther, byOther]) assert.deepEqual([status, body.code], [401, 'SIGNATURE_INVALID'])
    })

  it('signs as soon as its contract is there: that there was none is not remembered', async () => {
    const chain = 'BASE_SEPOLIA'
    const wallet = await newContractWallet(platform)
    const id = await register(fetch, wallet.address, chain)
    const early = await setPolicy(wallet.fetchOn(chain), id)

    await wallet.deploy(chain)

    assert.deepEqual([early.status, early.body.code], [401, 'SIGNATURE_INVALID'])
    await until('the contract is asked', async () => (await setPolicy(wallet.fetchOn(chain), id)).status === 200, 60)
  })
})
