import assert from 'node:assert/strict'
import { dayMs } from '@carapace/api'
import { type Bond, newMove, noBond } from './bond.ts'
import { boundTo, depositsOn } from './bound-contract.ts'

const [first, newest, other] = ['0x1', '0x2', '0x3'] as const
const now = new Date('2026-01-10T00:00:00Z')
const places = [first, newest]
const empty: Bond = noBond({ id: 'a', wallet: '0xa', chain: 'BASE_SEPOLIA' })
const ended = (at: Date): Bond['done'][number] => ({
  ...{ id: 'w', at },
  move: newMove({ id: 'w', type: 'WITHDRAW', amount: 1n, operationId: 'w', address: '0xa', at }),
})
const dayAgo = new Date(now.getTime() - dayMs)
const slash = { id: 's', at: dayAgo, isVerdict: true, isReversed: true }

describe('the contract of a bond', () => {
  it('is the newest for the first deposit, and the one of that deposit for the next', () => {
    assert.equal(depositsOn(empty, places, now), newest)
    const bound = boundTo(empty, newest, places, now)!
    assert.equal(bound.contract, newest)
    assert.equal(depositsOn({ ...bound, free: 1n }, [first, newest, other], now), newest)
    assert.equal(depositsOn({ ...empty, free: 1n }, places, now), first)
  })

  it('is not named in the record while it is the first', () => {
    for (const address of [first, undefined]) assert.ok(!('contract' in boundTo({ ...empty, contract: newest }, address, places, now)!))
  })

  const parts: [string, Partial<Bond>][] = [
    ['stake', { free: 1n }],
    ['a command under way', { moves: [newMove({ id: 'd', type: 'DEPOSIT', amount: 1n, operationId: 'd', address: '0xa', at: now })] }],
    ['an effect that may be reversed', { done: [ended(new Date(dayAgo.getTime() + 1))] }],
    ['a slash that may be paid back', { slashes: [slash] }],
    ['a slash of the time before slashes were stored', { slashed: 1n }],
  ]
  for (const [what, part] of parts)
    it(`remains while the bond has ${what}`, () => {
      const bond = { ...empty, contract: newest, ...part }

      assert.equal(boundTo(bond, other, places, now), undefined)
      assert.equal(boundTo(bond, first, places, now), undefined)
      assert.equal(boundTo(bond, newest, places, now), bond)
    })

  it('may be another one after that, which forgets what the former one did', () => {
    const bond = { ...empty, contract: newest, done: [ended(dayAgo)] }

    assert.deepEqual(boundTo(bond, other, places, now), { ...empty, contract: other, done: [] })
  })
})
