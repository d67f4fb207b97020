import assert from 'node:assert/strict'
import { verifyRequest } from '@slicekit/erc8128'
import { verifyMessage, Wallet } from 'ethers'
import { connect } from './index.ts'

const wallet = new Wallet(`0x${'1'.repeat(64)}`)

/** What the library of the standard says of each request, with one memory for nonces. */
function verifier() {
  const nonces = new Set<string>()
  const verdicts: object[] = []
  const send: typeof fetch = async (input, init) => {
    const verdict = await verifyRequest({
      request: new Request(input, init),
      verifyMessage: ({ address, message, signature }) =>
        verifyMessage(Buffer.from(message.raw.slice(2), 'hex'), signature).toLowerCase() === address.toLowerCase(),
      nonceStore: { consume: async key => !nonces.has(key) && Boolean(nonces.add(key)) },
      policy: { maxValiditySec: 300 },
    })
    verdicts.push(verdict.ok ? { ok: true, address: verdict.address, covers: verdict.components } : verdict)
    return verdicts.length === 1 ? new Response('{}', { status: 503 }) : new Response('{"id":"g1"}')
  }
  return { send, verdicts }
}

describe('a signer', () => {
  it('signs each attempt of a call by ERC-8128, with its body and its name', async () => {
    const { send, verdicts } = verifier()
    const carapace = connect({ baseUrl: 'http://host.test', signer: wallet, fetch: send, retry: { firstPauseMs: 1 } })

    await carapace.marketplace.createGig({ body: { title: 't', description: 'd', budget: 5 } })

    const signed = {
      ok: true,
      address: wallet.address.toLowerCase(),
      covers: ['@authority', '@method', '@path', 'content-digest', 'idempotency-key'],
    }
    assert.deepEqual(verdicts, [signed, signed])
  })

  it('signs reads with their query', async () => {
    const { send, verdicts } = verifier()
    const carapace = connect({ baseUrl: 'http://host.test', signer: wallet, fetch: send, retry: { firstPauseMs: 1 } })

    await carapace.marketplace.listGigs({ query: { status: 'open' } })

    assert.deepEqual((verdicts[0] as { covers: string[] }).covers, ['@authority', '@method', '@path', '@query'])
  })

  it('that fails is not sent for a second time', async () => {
    let signings = 0
    const refusing = {
      address: wallet.address,
      signMessage: async () => {
        signings++
        throw new Error('the user refused')
      },
    }
    const carapace = connect({ baseUrl: 'http://host.test', signer: refusing, fetch: async () => new Response('{}') })

    await assert.rejects(carapace.marketplace.listGigs(), /the user refused/)
    assert.equal(signings, 1)
  })
})
