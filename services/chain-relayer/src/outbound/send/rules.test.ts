import assert from 'node:assert/strict'
import { judge } from '../../lane/outcome.ts'
import { classifySend, type SendVerdict } from './send-error.ts'
import { bumpedFee, feeFor, feeRecord } from './transaction.ts'

describe('the answer of a node to a send', () => {
  const answers: readonly (readonly [string, SendVerdict])[] = [
    ['already known', 'accepted'],
    ['transaction already imported', 'accepted'],
    ['replacement transaction underpriced', 'underpriced'],
    ['nonce too low', 'nonce-low'],
    ['nonce too high', 'nonce-gap'],
    ['Insufficient funds for gas * price + value', 'no-funds'],
    ['intrinsic gas too low', 'rejected'],
    ['intrinsic gas too high -- tx.gas_limit > env.block.gas_limit', 'too-large'],
    ['exceeds block gas limit', 'too-large'],
    ['invalid chain id for signer', 'rejected'],
    ['the server is busy', 'unknown'],
  ]
  for (const [message, verdict] of answers) it(`"${message}" means ${verdict}`, () => assert.equal(classifySend({ code: -32000, message }), verdict))
  it('no error means accepted', () => assert.equal(classifySend(undefined), 'accepted'))
})

describe('a failed try', () => {
  const retries = [1_000, 2_000, 4_000, 8_000, 16_000]
  const permanent = { revert: { name: 'Escrow_SlotTaken', args: [] }, outOfGas: false }
  const final = ['Escrow_SlotTaken']
  const transient = { revert: { name: 'EnforcedPause', args: [] }, outOfGas: false }

  it('is the end when the contract named a reason that the command declares final', () => {
    assert.equal(judge(permanent, { attempts: 1, gasFactor: 1 }, retries, final, 0.5).next, 'fail')
  })
  it('is waited out when a missing effect may explain it', () => {
    assert.equal(judge(permanent, { attempts: 9, gasFactor: 1 }, retries, [], 0.5).next, 'wait')
  })
  it('is followed by another after 1, 2, 4, 8 s, plus or minus a fifth, and by none after the fifth', () => {
    const delays = [1, 2, 3, 4].map(attempts => judge(transient, { attempts, gasFactor: 1 }, retries, [], 0.5))
    assert.deepEqual(
      delays.map(verdict => verdict.next === 'retry' && verdict.delayMs),
      [1_000, 2_000, 4_000, 8_000],
    )
    const spread = [0, 1].map(random => judge(transient, { attempts: 1, gasFactor: 1 }, retries, [], random))
    assert.deepEqual(
      spread.map(verdict => verdict.next === 'retry' && verdict.delayMs),
      [800, 1_200],
    )
    assert.equal(judge(transient, { attempts: 5, gasFactor: 1 }, retries, [], 0.5).next, 'fail')
  })
  it('gets twice the gas when it ran out', () => {
    const verdict = judge({ revert: { name: 'unknown', args: [] }, outOfGas: true }, { attempts: 1, gasFactor: 2 }, retries, [], 0.5)
    assert.deepEqual(verdict, { next: 'retry', delayMs: 1_000, gasFactor: 4 })
  })
})

describe('a fee', () => {
  const profile = { type: 'eip1559', tipWei: 100n, headroom: 2, capWei: 10_000n } as const

  it('leaves room for the base fee to double', () => {
    assert.deepEqual(feeFor(profile, 1_000n), { type: 2, maxFeePerGas: 2_100n, maxPriorityFeePerGas: 100n })
  })
  it('rises by a quarter at least, and never above the cap', () => {
    const last = feeRecord(feeFor(profile, 1_000n))
    assert.deepEqual(bumpedFee(profile, last, 1_000n), { type: 2, maxFeePerGas: 2_626n, maxPriorityFeePerGas: 126n })
    assert.equal(bumpedFee(profile, { maxFeePerGas: '9500', maxPriorityFeePerGas: '100' }, 1_000n), undefined)
  })
  it('is nothing on a network without gas price', () => {
    assert.deepEqual(feeFor({ type: 'free' }, 0n), { type: 0, gasPrice: 0n })
    assert.equal(bumpedFee({ type: 'free' }, { gasPrice: '0' }, 0n), undefined)
  })
})
