import assert from 'node:assert/strict'
import fc from 'fast-check'
import { start } from '../testing/facts.ts'
import { type Bond, lockedOf, noBond } from './bond.ts'
import { type Heard, hear } from './heard.ts'
import type { Outcome } from './outcome.ts'
import { endLock, requestDeposit, requestLock, requestReversal, requestSlash, requestWithdrawal, slashAndUnlock } from './request.ts'

const wallet = `0x${'22'.repeat(20)}`
const chainAt = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 9 }
const names = ['agent', 'gig', 'deposit', 'lock', 'slash', 'withdraw', 'unlock', 'unslash', 'end', 'second']
const key = (name: string): string => `0190a5d0-0000-7000-8000-${String(names.indexOf(name)).padStart(12, '0')}`
type Told = { id: string; is: 'confirmed' | 'failed'; seq: number }
const heard = ({ id, is, seq }: Told): Heard =>
  is === 'confirmed' ? { is, id: key(id), round: 1, seq, logs: [], ...chainAt } : { is, id: key(id), round: 1, seq, code: 'REVERTED' }
const at = { operationId: 'o', now: start }
const slashed = { ...at, gigId: key('gig'), reason: 'r', validationId: null }

/** A bond with its accounts, which follow every change; what an undone deposit still carries is heard again later. */
function begin() {
  let bond: Bond = noBond({ id: key('agent'), wallet, chain: 'BASE_SEPOLIA' })
  const balances = new Map<string, bigint>([['fee-pool', 1_000n]])
  const keys = new Set<string>()
  const of = (name: string) => balances.get(name) ?? 0n
  const become = (made: Outcome | undefined) => {
    if (!made) return
    for (const { id } of made.history) assert.ok(!keys.has(id) && keys.add(id), `history ${id} twice`)
    for (const { key, lines } of made.postings) {
      assert.ok(!keys.has(key) && keys.add(key), `${key} twice`)
      for (const { account, debit, credit } of lines) balances.set(account, of(account) + credit - debit)
    }
    bond = made.state
    for (const [name, balance] of balances) assert.ok(balance >= 0n || /^(ext:|loss:)/.test(name), `${name}: ${balance}`)
    assert.deepEqual([of(`bond:${key('agent')}:free`), of(`bond:${key('agent')}:locked`)], [bond.free, lockedOf(bond)])
    assert.equal(bond.total, bond.free + lockedOf(bond))
  }
  return {
    of,
    become,
    bond: () => bond,
    /** False when it has to be told again later. */
    hear: (told: Told): boolean => {
      const made = hear(bond, heard(told), start, () => key('end'))
      if (made && made.state.free < 0n) return false
      become(made)
      return true
    },
  }
}

/** A deposit of 100, and what was built on it: a lock of 50 of which 10 are slashed, a withdrawal of 20. */
function built() {
  const book = begin()
  const { become, bond } = book
  become(requestDeposit(bond(), { ...at, id: key('deposit'), amount: 100n, from: wallet, source: { kind: 'allowance' } }))
  book.hear({ id: 'deposit', is: 'confirmed', seq: 1 })
  become(requestLock(bond(), { lockId: key('lock'), gigId: key('gig'), amount: 50n, now: start }))
  book.hear({ id: 'lock', is: 'confirmed', seq: 1 })
  become(requestSlash(bond(), { ...slashed, slashId: key('slash'), amount: 10n, by: 'swarm' }))
  become(requestWithdrawal(bond(), { ...at, id: key('withdraw'), amount: 20n, to: wallet }))
  become(endLock(bond(), key('gig'), key('unlock')))
  return book
}
const ids = ['deposit', 'lock', 'slash', 'withdraw', 'unlock'] as const
type Id = (typeof ids)[number]

describe('a bond whose block is gone', () => {
  const undone: [Id, [bigint, bigint]][] = [
    ['withdraw', [90n, 0n]],
    ['slash', [80n, 0n]],
    ['unlock', [30n, 40n]],
  ]
  for (const [id, parts] of undone)
    it(`is as if ${id} had never been sent when it fails after all`, () => {
      const book = built()
      for (const known of ['slash', 'withdraw', 'unlock']) book.hear({ id: known, is: 'confirmed', seq: 1 })
      assert.deepEqual([book.bond().free, book.of('fee-pool'), book.of(`ext:${wallet}`)], [70n, 1_010n, -80n])

      book.hear({ id, is: 'failed', seq: 3 })
      book.hear({ id, is: 'failed', seq: 3 })
      book.hear({ id, is: 'confirmed', seq: 1 })

      assert.deepEqual([book.bond().free, lockedOf(book.bond())], parts)
    })

  it('keeps an undone unlock for the next try, which ends it', () => {
    const book = built()
    for (const [is, seq] of [
      ['confirmed', 1],
      ['failed', 3],
    ] as const)
      book.hear({ id: 'unlock', is, seq })
    assert.ok(book.bond().locks[0]?.retryAt)

    book.hear({ id: 'unlock', is: 'confirmed', seq: 4 })

    assert.equal(book.bond().locks.length, 0)
  })

  const lockedGig = () => {
    const book = begin()
    book.become(requestDeposit(book.bond(), { ...at, id: key('deposit'), amount: 100n, from: wallet, source: { kind: 'allowance' } }))
    book.hear({ id: 'deposit', is: 'confirmed', seq: 1 })
    book.become(requestLock(book.bond(), { lockId: key('lock'), gigId: key('gig'), amount: 50n, now: start }))
    book.hear({ id: 'lock', is: 'confirmed', seq: 1 })
    return book
  }

  it('asks once more for a lock that its gig still needs, and gives it up when that fails too', () => {
    for (const again of ['confirmed', 'failed'] as const) {
      const book = lockedGig()

      book.hear({ id: 'lock', is: 'failed', seq: 3 })
      book.hear({ id: 'lock', is: 'confirmed', seq: 1 })
      const [lock] = book.bond().locks
      assert.deepEqual([lock?.lockId, lock?.stage, book.bond().free], [key('end'), 'locking', 50n])
      book.hear({ id: 'end', is: again, seq: 1 })

      assert.deepEqual([book.bond().free, lockedOf(book.bond())], again === 'confirmed' ? [50n, 50n] : [100n, 0n])
    }
  })

  it('lets go of the stake of an undone lock when the deposit is undone too', () => {
    const book = lockedGig()

    book.hear({ id: 'lock', is: 'failed', seq: 3 })
    assert.equal(book.hear({ id: 'deposit', is: 'failed', seq: 3 }), false)
    book.hear({ id: 'end', is: 'failed', seq: 1 })

    assert.ok(book.hear({ id: 'deposit', is: 'failed', seq: 3 }))
    assert.deepEqual([book.bond().total, book.bond().locks], [0n, []])
  })

  it('does not lock again for a gig that is over', () => {
    const book = lockedGig()
    book.become(endLock(book.bond(), key('gig'), key('unlock')))

    book.hear({ id: 'lock', is: 'failed', seq: 3 })
    book.hear({ id: 'unlock', is: 'failed', seq: 3 })

    assert.deepEqual([book.bond().free, book.bond().locks], [100n, []])
  })

  it('takes back what an undone reversal paid, and it can be reversed again', () => {
    const book = built()
    book.hear({ id: 'slash', is: 'confirmed', seq: 1 })
    const reversal = { ...slashed, id: key('unslash'), slashId: key('slash'), amount: 10n }
    book.become(requestReversal(book.bond(), reversal))
    book.hear({ id: 'unslash', is: 'confirmed', seq: 1 })
    assert.deepEqual([book.bond().slashed, book.bond().reversed], [0n, [key('slash')]])

    book.hear({ id: 'unslash', is: 'failed', seq: 3 })

    assert.deepEqual([book.bond().slashed, book.bond().reversed, book.of('fee-pool')], [10n, [], 1_010n])
  })

  it('counts the newest slash that was not reversed, and the reversed one again when its reversal is undone', () => {
    const book = built()
    const hearAt = (name: string, is: Told['is'], seq: number, hours: number) => {
      const at = new Date(start.getTime() + hours * 3_600_000)
      book.become(hear(book.bond(), heard({ id: name, is, seq }), at, () => key('end')))
      const { lastSlashAt } = book.bond()
      return lastSlashAt && (lastSlashAt.getTime() - start.getTime()) / 3_600_000
    }
    const request = { ...slashed, slashId: key('slash'), amount: 10n }

    assert.equal(hearAt('slash', 'confirmed', 1, 1), 1)
    book.become(requestReversal(book.bond(), { ...request, id: key('unslash') }))
    assert.equal(book.bond().lastSlashAt?.getTime(), start.getTime() + 3_600_000)
    assert.equal(hearAt('unslash', 'confirmed', 1, 2), null)
    assert.equal(hearAt('unslash', 'failed', 3, 3), 1)

    book.become(requestSlash(book.bond(), { ...slashed, slashId: key('end'), amount: 5n, by: 'oracle' }))
    assert.equal(hearAt('end', 'confirmed', 1, 4), 4)
    book.become(requestReversal(book.bond(), { ...slashed, id: key('second'), slashId: key('end'), amount: 5n }))
    assert.equal(hearAt('second', 'confirmed', 1, 5), 1)
    assert.equal(hearAt('slash', 'failed', 3, 6), null)
  })

  it('lets a verdict slash within seven days of one that was reversed', () => {
    const book = lockedGig()
    const verdict = (slash: string, gig: string) => ({
      ...slashed,
      slashId: key(slash),
      gigId: key(gig),
      unlockId: key('unlock'),
      by: 'swarm' as const,
    })
    book.become(slashAndUnlock(book.bond(), verdict('slash', 'gig')).outcome)
    book.hear({ id: 'slash', is: 'confirmed', seq: 1 })
    book.become(requestLock(book.bond(), { lockId: key('end'), gigId: key('second'), amount: 20n, now: start }))
    const next = () => slashAndUnlock(book.bond(), verdict('withdraw', 'second')).slashed
    assert.equal(next(), 0n)

    book.become(requestReversal(book.bond(), { ...slashed, id: key('unslash'), slashId: key('slash'), amount: 10n }))
    book.hear({ id: 'unslash', is: 'confirmed', seq: 1 })

    assert.equal(next(), 4n)
  })

  it('remembers no more of what can be undone than 256 commands', () => {
    let bond: Bond = noBond({ id: key('agent'), wallet, chain: 'BASE_SEPOLIA' })
    const id = (index: number) => `0190a5d0-0000-7000-8000-1${String(index).padStart(11, '0')}`
    for (let index = 0; index < 300; index++) {
      bond = requestDeposit(bond, { ...at, id: id(index), amount: 1n, from: wallet, source: { kind: 'allowance' } }).state
      bond = hear(bond, { is: 'confirmed', id: id(index), round: 1, seq: 1, logs: [], ...chainAt }, start, () => '')!.state
    }

    assert.deepEqual([bond.free, bond.done.length, bond.done[0]?.id, bond.done.at(-1)?.id], [300n, 256, id(44), id(299)])
    const undone = hear(bond, { is: 'failed', id: id(299), round: 1, seq: 3, code: 'REVERTED' }, start, () => '')!
    assert.equal(undone.state.free, 299n)
  })

  it('forgets a day later what can be undone', () => {
    const book = built()
    const tomorrow = new Date(start.getTime() + 86_400_001)
    const made = hear(book.bond(), heard({ id: 'withdraw', is: 'confirmed', seq: 1 }), tomorrow, () => '')!

    assert.deepEqual(
      made.state.done.map(({ id }) => id),
      [key('withdraw')],
    )
  })

  it('ends as the newest outcomes say, with every entry once, in whatever order and however often outcomes come', () => {
    const ends = fc.record(Object.fromEntries(ids.map(id => [id, fc.record({ reorgs: fc.integer({ min: 0, max: 2 }), isGood: fc.boolean() })])))
    fc.assert(
      fc.property(ends, fc.infiniteStream(fc.nat()), (given, seeds) => {
        // as the contract has it: nothing stands without the deposit, and neither slash of the lock nor unlock without the lock
        const isGood = (id: Id): boolean =>
          given[id]!.isGood && (id === 'deposit' || isGood('deposit')) && (id === 'lock' || !['slash', 'unlock'].includes(id) || isGood('lock'))
        const book = built()
        const told = ids.flatMap((id): Told[] => {
          const { reorgs } = given[id]!
          const blocks = Array.from({ length: reorgs + 1 }, (_, index) => ({ id, is: 'confirmed' as const, seq: 2 * index + 1 }))
          return isGood(id) ? blocks : [...blocks.slice(id === 'deposit' || id === 'lock' ? 0 : 1), { id, is: 'failed', seq: 2 * reorgs + 2 }]
        })
        let waiting = [...told, ...told].map(one => ({ one, at: seeds.next().value! })).sort((a, b) => a.at - b.at)
        for (let turn = 0; waiting.length > 0; turn++) {
          assert.ok(turn < 10, `${waiting.length} outcomes wait for ever`)
          waiting = waiting.filter(({ one }) => !book.hear(one))
        }

        const [deposit, lock, slash, withdraw, unlock] = ids.map(isGood)
        const held = lock && !unlock ? 50n - (slash ? 10n : 0n) : 0n
        const total = (deposit ? 100n : 0n) - (withdraw ? 20n : 0n) - (slash ? 10n : 0n)
        assert.deepEqual([book.bond().free, lockedOf(book.bond())], [total - held, held])
        assert.deepEqual(
          [book.of('fee-pool') + book.of('loss:fee-pool'), book.of(`ext:${wallet}`)],
          [slash ? 1_010n : 1_000n, (withdraw ? 20n : 0n) - (deposit ? 100n : 0n)],
        )
        for (const id of ids) assert.equal(book.of(`transit:${key(id)}`), 0n)
      }),
      { numRuns: 200, includeErrorInReport: true },
    )
  })
})
