import assert from 'node:assert/strict'
import { Transaction, Wallet } from 'ethers'
import fc from 'fast-check'
import { localSigner } from '../../custody/custody.ts'
import { laneKey } from '../../testing/keys.ts'
import { signAttempt } from './transaction.ts'

const hex = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max }).map(bytes => `0x${Buffer.from(bytes).toString('hex')}`)
const wei = fc.bigInt({ min: 0n, max: 10n ** 24n })
const fee = fc.oneof(
  fc.record({ type: fc.constant(0 as const), gasPrice: wei }),
  fc
    .record({ type: fc.constant(2 as const), maxPriorityFeePerGas: wei, above: wei })
    .map(({ type, maxPriorityFeePerGas, above }) => ({ type, maxPriorityFeePerGas, maxFeePerGas: maxPriorityFeePerGas + above })),
)

describe('a signed transaction', () => {
  it('is byte for byte what ethers makes of it', async () => {
    const signer = localSigner(laneKey)
    const wallet = new Wallet(laneKey)
    const content = fc.record({
      nonce: fc.nat(100_000),
      to: hex(20, 20),
      data: hex(0, 200),
      value: wei,
      gasLimit: fc.integer({ min: 21_000, max: 60_000_000 }),
      fee,
    })
    await fc.assert(
      fc.asyncProperty(content, fc.constantFrom(84532, 324705682), async (fields, chainId) => {
        const attempt = await signAttempt(signer, { ...fields, chainId }, 0)

        const { fee: price, ...rest } = fields
        assert.equal(attempt.raw, await wallet.signTransaction({ ...rest, chainId, ...price }))
        assert.equal(attempt.hash, Transaction.from(attempt.raw!).hash)
      }),
      { numRuns: 60 },
    )
  })

  it('needs a private key, and never reveals it', () => {
    const bad = '0x1234'
    assert.throws(
      () => localSigner(bad),
      (error: Error) => !error.message.includes('1234'),
    )
  })
})
