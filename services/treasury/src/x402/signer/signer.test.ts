import assert from 'node:assert/strict'
import type { Parts } from '../../parts.ts'
import { chainReads } from './signer.ts'

const wallet = `0x${'11'.repeat(20)}` as const

describe('what the x402 packages read of a network', () => {
  it('never rejects where they may not wait for the answer, and says afterwards that the network was away', async () => {
    const away = new Error('away')
    const parts = { peers: { call: () => Promise.reject(away) } } as unknown as Parts
    const { signer, failure } = chainReads(parts, 'BASE_SEPOLIA', wallet)

    assert.equal(await signer.getCode({ address: wallet }), '0x')
    assert.equal(failure(), away)
  })

  it('says that the network was away while a signature was checked, which is no refusal', async () => {
    const away = new Error('away')
    const parts = { peers: { call: () => Promise.reject(away) } } as unknown as Parts
    const { signer, failure } = chainReads(parts, 'BASE_SEPOLIA', wallet)
    const typedData = { domain: {}, types: { Empty: [] }, primaryType: 'Empty', message: {} }

    await assert.rejects(signer.verifyTypedData({ ...typedData, address: wallet, signature: '0x' }), away)

    assert.equal(failure(), away)
  })
})
