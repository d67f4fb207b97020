import assert from 'node:assert/strict'
import { sentOnChain } from '@carapace/chain'
import { followReturn, followUse, giveBack, hold, mayHold } from './intake.ts'
import { upgradeX402Payment } from './payment.store.ts'
import { claim, fail, newFund, settle, settleSent, type X402Payment } from './payment.ts'
import { postings } from './postings.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const [payer, payTo] = ['11', '22'].map(byte => `0x${byte.repeat(20)}`) as [string, string]
const txHash = `0x${'ab'.repeat(32)}`
const key = 'escrow.lock-x402:0190a5d0-0000-7000-8000-000000000001'
const fresh = {
  ...{ id: '0190a5d0-0000-7000-8000-000000000009', scheme: 'v2' as const, route: 'POST /fund', amount: 5n, payTo, agentId: null },
  ...{ buyer: 'b', payer, chain: 'BASE_SEPOLIA' as const, nonce: `0x${'cd'.repeat(32)}`, fund: newFund('escrow', 'gig') },
}
const signed = { validAfter: 0n, validBefore: 2_000_000_000n, signature: `0x${'ef'.repeat(65)}` }

const claimed = () => claim(fresh, signed, now.getTime()).state
const arrived = { ...sentOnChain, status: 'confirmed' as const, txHash, seq: 2 }
const settled = () => settle(claimed(), { onChain: arrived, isFinal: true }, now).state
const held = () => hold(settled(), { key, round: 2 })!.state
/** The command of a hold had no error then. */
const withoutError = (payment: X402Payment): X402Payment => {
  const { hold, ...fund } = payment.fund!
  return { ...payment, fund: { ...fund, hold: { ...hold!, onChain: { ...hold!.onChain, error: null } } } }
}
const failed = { is: 'failed', round: 2, seq: 4, txHash: null, error: 'REVERTED: x' } as const
const freed = () => withoutError(followUse(held(), failed, false, now)!.state)
const returning = () => giveBack(freed(), 'not_used')!.state

/** As payments were stored before `onChain` was one field. */
function inOldForm(payment: X402Payment): X402Payment {
  const { onChain, fund, ...rest } = payment
  const { key: heldFor, onChain: used } = fund?.hold ?? {}
  const { onChain: returned, ...given } = fund?.giveBack ?? {}
  const old = {
    hold: used ? { key: heldFor, round: used.round, seq: used.seq, status: used.status } : null,
    giveBack: returned ? { ...given, ...returned } : null,
  }
  return { ...rest, txHash: onChain.txHash, seq: onChain.seq, ...(fund ? { fund: { ...fund, ...old } } : {}) } as unknown as X402Payment
}
const upgraded = (payment: X402Payment): X402Payment => upgradeX402Payment(inOldForm(payment))

describe('an x402 payment that was stored before its commands had one field on chain', () => {
  it('is the same in the present form, wherever it was', () => {
    const { fund: _, ...sold } = fresh
    const sent = settleSent({ ...sold, scheme: 'spec' }, txHash, now, now.getTime()).state
    const lost = fail(settled(), { failure: 'reverted', onChain: { ...arrived, status: 'failed', seq: 3 } }).state
    for (const payment of [claimed(), settled(), held(), freed(), returning(), sent, lost]) assert.deepEqual(upgraded(payment), payment)
  })

  it('is set aside for the round that it was, and follows newer outcomes of that command only', () => {
    const payment = upgraded(held())

    assert.deepEqual([mayHold(payment, { key, round: 2 }), mayHold(payment, { key, round: 3 })], ['held', 'refused'])
    assert.equal(followUse(upgraded(freed()), { is: 'confirmed', round: 2, seq: 4, txHash, blockNumber: 7 }, true, now), undefined)
    assert.equal(followUse(upgraded(freed()), { is: 'confirmed', round: 2, seq: 5, txHash, blockNumber: 7 }, true, now)!.state.state, 'spent')
  })

  it('follows its return, whose entry has the number of the outcome', () => {
    const before = upgraded(returning())
    const { state } = followReturn(before, { is: 'confirmed', round: 1, seq: 3, txHash, blockNumber: 7 }, now)!

    assert.deepEqual([state.state, state.fund?.giveBack?.onChain.blockNumber], ['returned', 7])
    assert.deepEqual(
      postings(before, state).map(entry => entry.key),
      [`x402-returned:${fresh.id}:3`],
    )
  })

  it('is left alone in the present form', () => {
    for (const payment of [claimed(), held(), returning()]) assert.equal(upgradeX402Payment(payment), payment)
  })
})
