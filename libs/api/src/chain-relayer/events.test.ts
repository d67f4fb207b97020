import assert from 'node:assert/strict'
import { ZodError } from 'zod'
import { reputationSnapshot } from '../reputation/events.ts'
import { chainEvent } from './events.ts'

const hash = `0x${'ab'.repeat(32)}`
const to = `0x${'5a'.repeat(20)}`
const place = { logId: 'a', network: 'BASE_SEPOLIA', address: to, logIndex: 0, logPosition: 0, txHash: hash, blockHash: hash, blockNumber: 1 }

describe('the payload of an event', () => {
  for (const [contract, whole] of [
    ['USDC', { from: to, to, value: '1' }],
    ['IdentityRegistry', { from: to, to, tokenId: '7' }],
  ] as const) {
    const read = (args: object) => chainEvent(contract, 'Transfer').read({ ...place, contract, event: 'Transfer', blockTime: 1, final: true, args })

    it(`of a ${contract} transfer is malformed without each of its arguments`, () => {
      assert.deepEqual(read({ ...whole, more: 'x' }).args, { ...whole, more: 'x' })
      for (const name of Object.keys(whole)) assert.throws(() => read({ ...whole, [name]: undefined }), ZodError, name)
      assert.throws(() => read({ ...whole, to: 'nobody' }), ZodError)
    })
  }

  it('of a snapshot of a score is malformed without its fields', () => {
    assert.throws(() => reputationSnapshot.read({ kind: 'score', id: 'a', version: 1, row: { totalEarned: 'much' } }), ZodError)
  })
})
