import assert from 'node:assert/strict'
import { escrowDisputed, escrowFailed, escrowLocked, escrowRefunded, escrowReleased, escrowRestated } from '@carapace/api'
import fc from 'fast-check'
import { assignment, blank, chainAt, delivery, start, verdict, wallets } from '../testing/facts.ts'
import { advance, onTime } from './advance.ts'
import type { Escrow } from './escrow.ts'
import { holdsMoney, type Status } from './escrow-states.ts'
import { lockConfirmed, lockFailed, lockReorged, reserveLock, sendLock } from './lock/transitions.ts'
import { postings } from './postings.ts'
import { payeeFailed, refundSeen, releaseConfirmed, releaseReverted, settleFailed, settleReorged } from './settlement/transitions.ts'
import type { Result } from './transition.ts'

const moment = { now: start, timers: false, splitTo: null }
const scores = { posterScore: 15, assigneeScore: 15 }

type Is = 'confirmed' | 'reorged' | 'failed'
type Op = 'lock' | 'settle'
interface Given {
  op: Op
  is: Is
  seq: number
}

const about = (seq: number) => ({ ...chainAt, txHash: `0x${String(seq).padStart(64, '0')}`, round: 1, seq, code: 'REVERTED', message: '' })

const receive = (e: Escrow, outcome: Given): Escrow => resultOf(e, outcome)?.state ?? e

/** @param round of the command that the outcome is about */
function resultOf(e: Escrow, { op, is, seq }: Given, round = 1): Result | undefined {
  const outcome = { ...about(seq), round }
  const settled = () =>
    e.settlement?.kind === 'release'
      ? releaseConfirmed(e, { txHash: outcome.txHash, blockNumber: 9, round, seq, ...scores }, start)
      : refundSeen(e, outcome, start)
  return {
    lock: {
      confirmed: () => lockConfirmed(e, outcome, moment),
      reorged: () => lockReorged(e, outcome),
      failed: () => lockFailed(e, outcome, moment),
    },
    settle: { confirmed: settled, reorged: () => settleReorged(e, outcome), failed: () => settleFailed(e, outcome, start) },
  }[op][is]()
}

/** What others know of the money, by the events alone. */
const statusBy: Record<string, string | undefined> = {
  [escrowLocked.type]: 'locked',
  [escrowDisputed.type]: 'disputed',
  [escrowReleased.type]: 'released',
  [escrowRefunded.type]: 'refunded',
  [escrowFailed.type]: 'none',
}
const announced = (before: string, events: Result['events']): string =>
  events.reduce((status, { type, data }) => (type === escrowRestated.type ? String(data.status) : (statusBy[type] ?? status)), before)
/** Where others think that the assignee was paid, if they do: by which transaction. */
function paidAsAnnounced(before: string | null, events: Result['events']): string | null {
  return events.reduce((paid, { type, data }) => {
    if (type === escrowReleased.type) return String(data.txHash)
    if (type !== escrowRestated.type) return paid
    assert.ok(!data.unpaid || paid !== null, 'unpaid without a payment')
    return data.unpaid ? null : data.status === 'released' ? String(data.txHash) : paid
  }, before)
}
const announcedAs: Partial<Record<Status, string>> = {
  releasing: 'locked',
  refunding: 'locked',
  released: 'released',
  refunded: 'refunded',
  unfunded: 'none',
}

/** The accounts, as the postings of every step leave them; each key once, only the outside below zero. */
function books() {
  const balances = new Map<string, bigint>()
  const keys = new Set<string>()
  let locked = 0n
  return {
    follow: (before: Escrow, after: Escrow) => {
      for (const { key, lines, tvl = 0n } of postings(before, after)) {
        assert.ok(!keys.has(key), `${key} twice`)
        keys.add(key)
        locked += tvl
        for (const { account, debit, credit } of lines) balances.set(account, (balances.get(account) ?? 0n) + credit - debit)
      }
      for (const [name, balance] of balances) assert.ok(balance >= 0n || /^(ext:|clearing:|loss(:|$))/.test(name), `${name}: ${balance}`)
      const held = after.status === 'funding' || holdsMoney(after.status) ? after.amount : 0n
      assert.deepEqual([balances.get(`escrow:${after.id}`) ?? 0n, locked], [held, held], after.status)
    },
    of: (name: string) => balances.get(name) ?? 0n,
  }
}

const sent = (e: Escrow, kind: 'allowance' | 'treasury' = 'allowance'): Escrow =>
  sendLock(reserveLock(e, { operationId: 'o', kind, from: wallets.poster, poster: wallets.poster }).state, { kind: 'allowance' }).state
const gig = { ...blank(), assignment, delivery }
const locked = receive(sent(gig), { op: 'lock', is: 'confirmed', seq: 1 })
const facts = { release: { verdict: verdict('approved') }, refund: { verdict: verdict('rejected') } }
const disputed = advance({ ...locked, dispute: { agentId: 'a', reason: 'late', at: start } }, moment).state
const deciding = { release: advance({ ...locked, ...facts.release }, moment).state, refund: advance({ ...locked, ...facts.refund }, moment).state }
const over = {
  release: receive(deciding.release, { op: 'settle', is: 'confirmed', seq: 1 }),
  refund: receive(deciding.refund, { op: 'settle', is: 'confirmed', seq: 1 }),
}

describe('an escrow whose block is dropped', () => {
  const table: [string, Escrow, Op, Is, Status][] = [
    ['a lock waits for its confirmation again', locked, 'lock', 'reorged', 'funding'],
    ['a disputed one too', disputed, 'lock', 'reorged', 'funding'],
    ['a lock that then fails can be made again', locked, 'lock', 'failed', 'none'],
    ['a disputed one too, failed', disputed, 'lock', 'failed', 'none'],
    ['a payout under way keeps its decision', deciding.release, 'lock', 'reorged', 'releasing'],
    ['a payout under way ends without its lock', deciding.release, 'lock', 'failed', 'unfunded'],
    ['a refund under way ends without its lock', deciding.refund, 'lock', 'failed', 'unfunded'],
    ['a payout stays paid until it fails', over.release, 'settle', 'reorged', 'released'],
    ['a payout that then fails is due again', over.release, 'settle', 'failed', 'releasing'],
    ['a refund that then fails is due again', over.refund, 'settle', 'failed', 'refunding'],
    ['a payout without its lock is lost', over.release, 'lock', 'failed', 'unfunded'],
    ['a refund without its lock was none', over.refund, 'lock', 'failed', 'unfunded'],
    ['a payout in another block changes no state', over.release, 'settle', 'confirmed', 'released'],
  ]
  for (const [title, before, op, is, status] of table)
    it(`${title}: ${before.status} to ${status}`, () => assert.equal(receive(before, { op, is, seq: 2 }).status, status))

  it('publishes a lock and a dispute once', () => {
    const again = lockConfirmed(receive(disputed, { op: 'lock', is: 'reorged', seq: 2 }), about(3), moment)!

    assert.equal(again.state.status, 'disputed')
    assert.deepEqual(
      again.events.filter(({ exchange }) => exchange === 'events').map(({ type }) => type),
      [],
    )
  })

  it('is booked from the wallet that paid when a second round by treasury ends with the lock of the first by allowance', () => {
    const book = books()
    const before = sent(gig, 'treasury')
    const waiting: Escrow = { ...before, lock: { ...before.lock!, from: wallets.custodial } }
    book.follow(gig, waiting)

    const made = lockConfirmed(waiting, { ...about(1), payer: wallets.poster }, moment)!
    book.follow(waiting, made.state)

    const { kind, from } = made.state.lock!
    assert.deepEqual([kind, from], ['allowance', wallets.poster])
    assert.deepEqual([book.of(`ext:${wallets.poster}`), book.of(`clearing:escrow.lock:${gig.id}`)], [-gig.amount, 0n])
    assert.equal(lockConfirmed(waiting, { ...about(1), payer: wallets.custodial }, moment)!.state.lock!.kind, 'treasury')
  })

  for (const kind of ['allowance', 'treasury'] as const)
    it(`is locked, once, when the chain makes a lock from ${kind} after its failure, and has none when that block is dropped, as often as it comes`, () => {
      const book = books()
      let escrow: Escrow = gig
      const become = (after: Escrow) => {
        book.follow(escrow, after)
        escrow = after
      }
      const source = kind === 'treasury' ? `clearing:escrow.lock:${gig.id}` : `ext:${wallets.poster}`
      become(sent(gig, kind))
      become(receive(escrow, { op: 'lock', is: 'failed', seq: 1 }))
      assert.deepEqual([escrow.status, book.of(source)], ['none', 0n])

      for (const seq of [2, 5, 8]) {
        const made = lockConfirmed(escrow, about(seq), moment)!
        assert.deepEqual(
          made.events.map(({ type }) => type).filter(type => type === escrowLocked.type),
          [escrowLocked.type],
        )
        become(made.state)
        become(receive(escrow, { op: 'lock', is: 'confirmed', seq }))
        become(receive(escrow, { op: 'lock', is: 'failed', seq: 1 }))
        assert.deepEqual([escrow.status, escrow.lock?.kind, escrow.lockFailure, book.of(source)], ['locked', kind, null, -gig.amount])
        for (const _ of [1, 2]) become(receive(escrow, { op: 'lock', is: 'failed', seq: seq + 2 }))
        become(receive(escrow, { op: 'lock', is: 'confirmed', seq }))
        assert.deepEqual([escrow.status, book.of(source)], ['none', 0n])
      }
    })

  it('returns or pays a lock that the chain made after the end of its gig', () => {
    for (const [outcome, end] of [
      ['refund', 'refunding'],
      ['release', 'releasing'],
    ] as const) {
      const failed = receive(sent(gig), { op: 'lock', is: 'failed', seq: 1 })
      const ended = advance({ ...failed, ...facts[outcome] }, moment).state
      assert.equal(ended.status, 'unfunded')

      const late = receive(ended, { op: 'lock', is: 'confirmed', seq: 2 })

      assert.deepEqual([late.status, late.decision?.outcome], [end, outcome])
    }
  })

  for (const [title, outcome, before] of [
    ['a payout under way', 'release', deciding.release],
    ['a payout that was made', 'release', over.release],
    ['a refund under way', 'refund', deciding.refund],
    ['a refund that was made', 'refund', over.refund],
  ] as const)
    it(`settles ${title} when the chain makes its lock after the failure of it, as often as that comes`, () => {
      const book = books()
      let escrow: Escrow = gig
      let others = 'none'
      let paid: string | null = null
      const become = (result: Result | undefined) => {
        const { state, events } = result ?? { state: escrow, events: [] }
        book.follow(escrow, state)
        others = announced(others, events)
        paid = paidAsAnnounced(paid, events)
        escrow = state
      }
      const [under, done] = outcome === 'release' ? (['releasing', 'released'] as const) : (['refunding', 'refunded'] as const)
      become({ state: sent(gig), events: [] })
      become(resultOf(escrow, { op: 'lock', is: 'confirmed', seq: 1 }))
      become(advance({ ...escrow, ...facts[outcome] }, moment))
      if (before.status === done) become(resultOf(escrow, { op: 'settle', is: 'confirmed', seq: 1 }))
      const fee = escrow.settlement!.fee

      for (const seq of [3, 6, 9]) {
        become(resultOf(escrow, { op: 'lock', is: 'failed', seq }))
        become(resultOf(escrow, { op: 'settle', is: 'failed', seq }, escrow.settlement!.onChain.round))
        assert.deepEqual([escrow.status, others, paid], ['unfunded', 'none', null])

        for (const _ of [1, 2]) become(resultOf(escrow, { op: 'lock', is: 'confirmed', seq: seq + 1 }))
        become(resultOf(escrow, { op: 'settle', is: 'confirmed', seq: seq - 1 }, escrow.settlement!.onChain.round))
        assert.deepEqual([escrow.status, others, book.of(`debt:${gig.id}`), book.of('loss')], [under, 'locked', 0n, 0n])
        const again = onTime(escrow, { ...moment, now: escrow.dueAt! })!
        assert.ok(again.events.some(({ data }) => data.kind === 'escrow.settle' && Number(data.round) > 1))
        become(again)

        become(resultOf(escrow, { op: 'settle', is: 'confirmed', seq: seq + 1 }, escrow.settlement!.onChain.round))
        assert.deepEqual([escrow.status, others], [done, done])
        assert.equal(book.of(`ext:${wallets.worker}`), outcome === 'release' ? gig.amount - fee : 0n)
        assert.equal(book.of(`ext:${wallets.poster}`), outcome === 'release' ? -gig.amount : 0n)
        assert.deepEqual([book.of('fee-pool') + book.of('loss:fee-pool'), book.of(`clearing:escrow.settle:${gig.id}`)], [fee, 0n])
      }
    })

  it('ignores a late confirmation that is older than the newest failure of its lock', () => {
    const failed = receive(receive(sent(gig), { op: 'lock', is: 'failed', seq: 1 }), { op: 'lock', is: 'failed', seq: 4 })

    assert.equal(receive(failed, { op: 'lock', is: 'confirmed', seq: 2 }).status, 'none')
    assert.equal(receive(failed, { op: 'lock', is: 'confirmed', seq: 5 }).status, 'locked')
  })

  it('names the payee again in a lock that the chain made after its failure', () => {
    const named = advance({ ...locked, lock: { ...locked.lock!, payee: wallets.poster } }, moment).state
    const late = lockConfirmed(receive(named, { op: 'lock', is: 'failed', seq: 2 }), about(3), moment)!

    assert.deepEqual(
      late.events.filter(({ exchange }) => exchange === 'commands').map(({ data }) => [data.kind, data.round]),
      [['escrow.payee', 2]],
    )
  })

  it('decides what became known meanwhile when its lock is included again', () => {
    const waiting = receive(locked, { op: 'lock', is: 'reorged', seq: 2 })
    const met = advance({ ...waiting, ...facts.release }, moment).state

    assert.equal(met.status, 'funding')
    assert.equal(receive(met, { op: 'lock', is: 'confirmed', seq: 3 }).status, 'releasing')
    assert.equal(receive(met, { op: 'lock', is: 'failed', seq: 3 }).status, 'unfunded')
  })

  it('names the payee again when its block is dropped with that of the lock, and failed', () => {
    const assigned = advance({ ...locked, lock: { ...locked.lock!, payee: wallets.poster } }, moment).state
    const waiting = receive(assigned, { op: 'lock', is: 'reorged', seq: 2 })
    const unnamed = payeeFailed(waiting, about(1), start)!.state

    const back = lockConfirmed(unnamed, about(3), moment)!

    assert.equal(unnamed.status, 'funding')
    assert.deepEqual(
      back.events.map(({ data }) => [data.kind, data.round]),
      [['escrow.payee', 2]],
    )
    assert.equal(payeeFailed(over.release, about(1), start)?.state.lock?.payeeOnChain?.status, 'failed')
    assert.equal(payeeFailed(over.refund, about(1), start), undefined)
  })

  it('books a debt to the payee for a payout without its lock', () => {
    const book = books()
    const steps = [gig, sent(gig), locked, deciding.release, over.release, receive(over.release, { op: 'lock', is: 'failed', seq: 2 })]
    steps.slice(1).forEach((after, index) => {
      book.follow(steps[index]!, after)
    })

    assert.deepEqual([book.of(`debt:${gig.id}`), book.of('fee-pool') + book.of('loss:fee-pool'), book.of('loss')], [38_800_000n, 0n, -38_800_000n])
    assert.deepEqual([book.of(`ext:${wallets.poster}`), book.of(`ext:${wallets.worker}`), book.of(`clearing:escrow.settle:${gig.id}`)], [0n, 0n, 0n])
  })

  it('books a debt to the payee when the contract refunded although the payout had been confirmed', () => {
    const book = books()
    const reverted = releaseReverted(over.release)!
    const refunded = refundSeen(reverted.state, chainAt, start)!
    const steps = [gig, sent(gig), locked, deciding.release, over.release, reverted.state, refunded.state]
    steps.slice(1).forEach((after, index) => {
      book.follow(steps[index]!, after)
    })

    assert.deepEqual(
      [refunded.state.status, book.of(`debt:${gig.id}`), book.of('fee-pool') + book.of('loss:fee-pool')],
      ['refunded', 38_800_000n, 0n],
    )
    assert.equal(book.of(`ext:${wallets.poster}`), 0n)
    assert.equal(paidAsAnnounced(chainAt.txHash, [...reverted.events, ...refunded.events]), null)
    for (const is of ['reorged', 'failed', 'confirmed'] as const)
      assert.equal(receive(refunded.state, { op: 'settle', is, seq: 5 }).status, 'refunded', 'the relayer is late')
  })

  it('shows the transaction of the contract’s log, not that of a later command which found nothing to do', () => {
    const late = releaseConfirmed(over.release, { ...about(9), blockNumber: 99, already: true, ...scores }, start)!

    assert.deepEqual(late.events, [])
    const { settlement } = over.release
    assert.deepEqual(late.state.settlement, { ...settlement, onChain: { ...settlement!.onChain, seq: 9 } })
  })

  it('writes off the fee of a reversed payout that the contract pays without one after its timeout', () => {
    const book = books()
    const reversed = receive(over.release, { op: 'settle', is: 'failed', seq: 2 })
    const paid = { fee: 0n, net: gig.amount, treasury: 0n, payee: wallets.worker }
    const byTimeout = releaseConfirmed(reversed, { txHash: chainAt.txHash, blockNumber: 99, paid, ...scores }, start)!.state
    const steps = [gig, sent(gig), locked, deciding.release, over.release, reversed, byTimeout]
    steps.slice(1).forEach((after, index) => {
      book.follow(steps[index]!, after)
    })

    assert.deepEqual([byTimeout.status, book.of(`ext:${wallets.worker}`)], ['released', gig.amount])
    assert.deepEqual([book.of('fee-pool') + book.of('loss:fee-pool'), book.of(`clearing:escrow.settle:${gig.id}`)], [0n, 0n])
  })

  it('books each fee that is lost, and each that is paid again', () => {
    const book = books()
    let escrow: Escrow = gig
    const become = (after: Escrow) => {
      book.follow(escrow, after)
      escrow = after
    }
    for (const after of [sent(gig), locked, deciding.release, over.release]) become(after)
    const paidBy = (fee: bigint, blockNumber: number) => {
      const paid = { fee, net: gig.amount - fee, treasury: 0n, payee: wallets.worker }
      return releaseConfirmed(escrow, { txHash: chainAt.txHash, blockNumber, paid, ...scores }, start)!.state
    }
    const { fee } = over.release.settlement!
    for (const seq of [2, 4, 6]) {
      become(releaseReverted(escrow)!.state)
      become(paidBy(0n, 100 + seq))
      assert.deepEqual(
        [book.of('fee-pool') + book.of('loss:fee-pool'), book.of(`clearing:escrow.settle:${gig.id}`)],
        [0n, 0n],
        `without a fee ${seq}`,
      )
      become(releaseReverted(escrow)!.state)
      become(paidBy(fee, 200 + seq))
      assert.deepEqual([book.of('fee-pool') + book.of('loss:fee-pool'), book.of(`clearing:escrow.settle:${gig.id}`)], [fee, 0n], `with a fee ${seq}`)
    }
  })

  it('is booked from the wallet that paid also when its lock comes back by another one while it is paid out', () => {
    const book = books()
    const start = { ...sent(gig, 'treasury'), ...facts.release }
    const custodial: Escrow = { ...start, lock: { ...start.lock!, from: wallets.custodial } }
    book.follow(gig, custodial)
    const releasing = lockConfirmed(custodial, { ...about(1), payer: wallets.custodial }, moment)!.state
    book.follow(custodial, releasing)
    const waiting = receive(releasing, { op: 'lock', is: 'reorged', seq: 2 })
    assert.equal(waiting.status, 'releasing')

    book.follow(waiting, lockConfirmed(waiting, { ...about(3), payer: wallets.poster }, moment)!.state)

    assert.deepEqual([book.of(`ext:${wallets.poster}`), book.of(`clearing:escrow.lock:${gig.id}`)], [-gig.amount, 0n])
  })

  /** What the relayer can publish about an operation: blocks that come and go, then one that stays or a final failure. */
  const history = (op: Op) =>
    fc
      .record({ reorgs: fc.integer({ min: 0, max: 3 }), failed: fc.boolean() })
      .map(({ reorgs, failed }): Given[] =>
        [
          ...Array.from({ length: reorgs }, (): Is[] => ['confirmed', 'reorged']).flat(),
          ...(failed ? (['failed'] as const) : (['confirmed'] as const)),
        ].map((is, index) => ({ op, is, seq: index + 1 })),
      )
  const last = (outcome: readonly Given[]): Is => outcome.at(-1)!.is

  it('ends as the newest outcomes say, with every entry once, in any order and however often outcomes come', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('release' as const, 'refund' as const),
        fc.constantFrom('allowance' as const, 'treasury' as const),
        history('lock'),
        history('settle'),
        fc.infiniteStream(fc.nat()),
        (outcome, kind, lock, settle, seeds) => {
          const book = books()
          let escrow: Escrow = gig
          let others = 'none'
          let paid: string | null = null
          const become = ({ state, events }: Result = { state: escrow, events: [] }) => {
            book.follow(escrow, state)
            others = announced(others, events)
            paid = paidAsAnnounced(paid, events)
            escrow = state
          }
          become({ state: sent(gig, kind), events: [] })
          become(advance({ ...escrow, ...facts[outcome] }, moment))
          // a settlement exists only after a first confirmation of its lock
          const first: Given[] = lock[0]!.is === 'confirmed' ? [lock[0]!] : []
          const rest = [...lock, ...(first.length ? settle : []), ...lock, ...settle]
            .map(outcome => ({ outcome, at: seeds.next().value! }))
            .sort((a, b) => a.at - b.at)
          for (const { outcome } of [...first.map(outcome => ({ outcome })), ...rest]) become(resultOf(escrow, outcome))

          const isLocked = last(lock) === 'confirmed'
          const isSettled = last(settle) === 'confirmed'
          const [under, done] = outcome === 'release' ? (['releasing', 'released'] as const) : (['refunding', 'refunded'] as const)
          assert.equal(others, announcedAs[escrow.status], `others see ${others}, it is ${escrow.status}`)
          if (escrow.status === 'released') assert.equal(paid, escrow.settlement!.onChain.txHash)
          else if (escrow.status !== 'releasing') assert.equal(paid, null, 'others see the assignee as paid')
          assert.equal(escrow.status, isLocked ? (isSettled ? done : under) : 'unfunded')
          if (escrow.status !== 'released' && escrow.status !== 'releasing') assert.equal(book.of(`ext:${wallets.worker}`), 0n)
          if (escrow.status === 'unfunded') assert.equal(book.of(`clearing:escrow.settle:${gig.id}`), 0n)
        },
      ),
      { numRuns: 300, includeErrorInReport: true },
    )
  })
})
