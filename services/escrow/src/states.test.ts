import assert from 'node:assert/strict'
import { codeOf } from '@carapace/testing'
import { noBond } from './bond/bond.ts'
import { confirmUnlock } from './bond/outcomes/confirmation.ts'
import { move } from './escrow/transition.ts'
import { blank } from './testing/facts.ts'

describe('the states of the escrow service', () => {
  it('refuse a move that is not in the table with INVALID_STATE', () => {
    const bond = noBond({ id: 'a1', wallet: '0x1', chain: 'BASE_SEPOLIA' })
    const lock = { gigId: 'g1', stage: 'locking', amount: 1n, lockId: 'l1', isClean: true } as never

    assert.equal(
      codeOf(() => move(blank(), 'pay', {})),
      'INVALID_STATE',
    )
    assert.equal(
      codeOf(() => confirmUnlock(bond, lock, 'u1', '0x1', new Date(0))),
      'INVALID_STATE',
    )
  })
})
