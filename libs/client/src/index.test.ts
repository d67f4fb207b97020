import assert from 'node:assert/strict'
import { connect, Refusal } from './index.ts'

/** Answers every call with what it has seen of it. */
const mirror: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  const seen = { url: String(input), method: init?.method, agent: headers.get('x-agent-id'), wallet: headers.get('x-wallet-address') }
  return new Response(JSON.stringify(seen))
}

describe('the SDK', () => {
  it('reaches every service by name, with the identity set once', async () => {
    const carapace = connect({ baseUrl: 'http://host', fetch: mirror, identity: { agentId: 'a1', walletAddress: '0xw' } })

    const posted: Record<string, unknown> = await carapace.marketplace.createGig({ body: { title: 't', description: 'd', budget: 5 } })
    const read: Record<string, unknown> = await carapace.identity.getAgent({ params: { id: 'me' } })

    assert.deepEqual(posted, { url: 'http://host/api/gigs', method: 'POST', agent: 'a1', wallet: '0xw' })
    assert.equal(read.url, 'http://host/api/agents/me')
  })

  it('reads without an identity', async () => {
    const carapace = connect({ baseUrl: 'http://host', fetch: mirror })

    assert.equal(((await carapace.swarm.getSwarmStatistics()) as Record<string, unknown>).agent, null)
  })

  it('throws the refusals of the platform', async () => {
    const refusing: typeof fetch = async () => new Response(JSON.stringify({ message: 'no', code: 'NOT_POSTER', status: 403 }), { status: 403 })
    const carapace = connect({ baseUrl: 'http://host', fetch: refusing })

    await assert.rejects(
      carapace.marketplace.cancelGig({ params: { id: '1' } }),
      (error: Refusal) => error instanceof Refusal && error.code === 'NOT_POSTER',
    )
  })
})
