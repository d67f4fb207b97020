import assert from 'node:assert/strict'
import { escrowDisputed, escrowFailed, escrowLocked, escrowRefunded, escrowReleased, escrowRestated } from '@carapace/api'
import fc from 'fast-check'
import { assignment, blank, chainAt, delivery, start, verdict, wallets } from '../testing/facts.ts'
import { advance } from './act.ts'
import type { Result } from './change.ts'
import { type Escrow, holdsMoney, type Status } from './escrow.ts'
import { lockConfirmed, lockFailed, lockReorged, reserve, sendLock } from './locking.ts'
import { postings } from './postings.ts'
import { payeeFailed, payoutRefuted, refundSeen, releaseConfirmed, settleFailed, settleReorged } from './settled.ts'

const moment = { now: start, timers: false, splitTo: null }
const scores = { posterScore: 15, assigneeScore: 15 }

type Is = 'confirmed' | 'reorged' | 'failed'
type Op = 'lock' | 'settle'
interface Told {
  op: Op
  is: Is
  seq: number
}

const about = (seq: number) => ({ ...chainAt, txHash: `0x${String(seq).padStart(64, '0')}`, round: 1, seq, code: 'REVERTED', message: '' })

const hear = (e: Escrow, told: Told): Escrow => heardOf(e, told)?.state ?? e

function heardOf(e: Escrow, { op, is, seq }: Told): Result | undefined {
  const told = about(seq)
  const settled = () =>
    e.settlement?.kind === 'release'
      ? releaseConfirmed(e, { txHash: told.txHash, blockNumber: 9, seq, ...scores }, start)
      : refundSeen(e, told, start)
  return {
    lock: { confirmed: () => lockConfirmed(e, told, moment), reorged: () => lockReorged(e, told), failed: () => lockFailed(e, told, moment) },
    settle: { confirmed: settled, reorged: () => settleReorged(e, told), failed: () => settleFailed(e, told, start) },
  }[op][is]()
}

/** What others know of the money, by the events alone. */
const toldBy: Record<string, string | undefined> = {
  [escrowLocked.type]: 'locked',
  [escrowDisputed.type]: 'disputed',
  [escrowReleased.type]: 'released',
  [escrowRefunded.type]: 'refunded',
  [escrowFailed.type]: 'none',
}
const known = (before: string, events: Result['events']): string =>
  events.reduce((status, { type, data }) => (type === escrowRestated.type ? String(data.status) : (toldBy[type] ?? status)), before)
/** Where others think that the assignee was paid, if they do: by which transaction. */
function paidAsKnown(before: string | null, events: Result['events']): string | null {
  return events.reduce((paid, { type, data }) => {
    if (type === escrowReleased.type) return String(data.txHash)
    if (type !== escrowRestated.type) return paid
    assert.ok(!data.unpaid || paid !== null, 'unpaid without a payment')
    return data.unpaid ? null : data.status === 'released' ? String(data.txHash) : paid
  }, before)
}
const asKnown: Partial<Record<Status, string>> = {
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
  sendLock(reserve(e, { operationId: 'o', kind, from: wallets.poster, poster: wallets.poster }).state, { kind: 'allowance' }).state
const gig = { ...blank(), assignment, delivery }
const locked = hear(sent(gig), { op: 'lock', is: 'confirmed', seq: 1 })
const facts = { release: { verdict: verdict('approved') }, refund: { verdict: verdict('rejected') } }
const disputed = advance({ ...locked, dispute: { agentId: 'a', reason: 'late', at: start } }, moment).state
const deciding = { release: advance({ ...locked, ...facts.release }, moment).state, refund: advance({ ...locked, ...facts.refund }, moment).state }
const over = {
  release: hear(deciding.release, { op: 'settle', is: 'confirmed', seq: 1 }),
  refund: hear(deciding.refund, { op: 'settle', is: 'confirmed', seq: 1 }),
}

describe('an escrow whose block is gone', () => {
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
    it(`${title}: ${before.status} to ${status}`, () => assert.equal(hear(before, { op, is, seq: 2 }).status, status))

  it('is told of a lock and of a dispute once', () => {
    const again = lockConfirmed(hear(disputed, { op: 'lock', is: 'reorged', seq: 2 }), about(3), moment)!

    assert.equal(again.state.status, 'disputed')
    assert.deepEqual(
      again.events.filter(({ exchange }) => exchange === 'events').map(({ type }) => type),
      [],
    )
  })

  it('decides what was learnt meanwhile when its lock is back', () => {
    const gone = hear(locked, { op: 'lock', is: 'reorged', seq: 2 })
    const met = advance({ ...gone, ...facts.release }, moment).state

    assert.equal(met.status, 'funding')
    assert.equal(hear(met, { op: 'lock', is: 'confirmed', seq: 3 }).status, 'releasing')
    assert.equal(hear(met, { op: 'lock', is: 'failed', seq: 3 }).status, 'unfunded')
  })

  it('names the payee again when its block is gone with that of the lock, and failed', () => {
    const assigned = advance({ ...locked, lock: { ...locked.lock!, payee: wallets.poster } }, moment).state
    const gone = hear(assigned, { op: 'lock', is: 'reorged', seq: 2 })
    const unnamed = payeeFailed(gone, 1, start)!.state

    const back = lockConfirmed(unnamed, about(3), moment)!

    assert.equal(unnamed.status, 'funding')
    assert.deepEqual(
      back.events.map(({ data }) => [data.kind, data.round]),
      [['escrow.payee', 2]],
    )
    assert.equal(payeeFailed(over.release, 1, start)?.state.lock?.payeeFailed, true)
    assert.equal(payeeFailed(over.refund, 1, start), undefined)
  })

  it('owes the payee what a payout without its lock did not pay', () => {
    const book = books()
    const steps = [gig, sent(gig), locked, deciding.release, over.release, hear(over.release, { op: 'lock', is: 'failed', seq: 2 })]
    steps.slice(1).forEach((after, index) => {
      book.follow(steps[index]!, after)
    })

    assert.deepEqual([book.of(`debt:${gig.id}`), book.of('fee-pool') + book.of('loss:fee-pool'), book.of('loss')], [38_800_000n, 0n, -38_800_000n])
    assert.deepEqual([book.of(`ext:${wallets.poster}`), book.of(`ext:${wallets.worker}`), book.of(`clearing:escrow.settle:${gig.id}`)], [0n, 0n, 0n])
  })

  it('owes the payee what the contract gave back although the payout had been confirmed', () => {
    const book = books()
    const refuted = payoutRefuted(over.release)!
    const refunded = refundSeen(refuted.state, chainAt, start)!
    const steps = [gig, sent(gig), locked, deciding.release, over.release, refuted.state, refunded.state]
    steps.slice(1).forEach((after, index) => {
      book.follow(steps[index]!, after)
    })

    assert.deepEqual(
      [refunded.state.status, book.of(`debt:${gig.id}`), book.of('fee-pool') + book.of('loss:fee-pool')],
      ['refunded', 38_800_000n, 0n],
    )
    assert.equal(book.of(`ext:${wallets.poster}`), 0n)
    assert.equal(paidAsKnown(chainAt.txHash, [...refuted.events, ...refunded.events]), null)
    for (const is of ['reorged', 'failed', 'confirmed'] as const)
      assert.equal(hear(refunded.state, { op: 'settle', is, seq: 5 }).status, 'refunded', 'the relayer is late')
  })

  it('shows the transaction that the contract tells of, not that of a command which came later and found nothing to do', () => {
    const late = releaseConfirmed(over.release, { ...about(9), blockNumber: 99, already: true, ...scores }, start)!

    assert.deepEqual(late.events, [])
    assert.deepEqual(late.state.settlement, { ...over.release.settlement, seq: 9 })
  })

  it('writes off the fee of an undone payout that the contract pays without one after its timeout', () => {
    const book = books()
    const undone = hear(over.release, { op: 'settle', is: 'failed', seq: 2 })
    const paid = { fee: 0n, net: gig.amount, treasury: 0n }
    const byTimeout = releaseConfirmed(undone, { txHash: chainAt.txHash, blockNumber: 99, paid, ...scores }, start)!.state
    const steps = [gig, sent(gig), locked, deciding.release, over.release, undone, byTimeout]
    steps.slice(1).forEach((after, index) => {
      book.follow(steps[index]!, after)
    })

    assert.deepEqual([byTimeout.status, book.of(`ext:${wallets.worker}`)], ['released', gig.amount])
    assert.deepEqual([book.of('fee-pool') + book.of('loss:fee-pool'), book.of(`clearing:escrow.settle:${gig.id}`)], [0n, 0n])
  })

  /** What the relayer can tell of an operation: blocks that come and go, then one that stays or a final failure. */
  const history = (op: Op) =>
    fc
      .record({ reorgs: fc.integer({ min: 0, max: 3 }), failed: fc.boolean() })
      .map(({ reorgs, failed }): Told[] =>
        [
          ...Array.from({ length: reorgs }, (): Is[] => ['confirmed', 'reorged']).flat(),
          ...(failed ? (['failed'] as const) : (['confirmed'] as const)),
        ].map((is, index) => ({ op, is, seq: index + 1 })),
      )
  const last = (told: readonly Told[]): Is => told.at(-1)!.is

  it('ends as the newest outcomes say, with every entry once, in whatever order and however often outcomes come', () => {
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
            others = known(others, events)
            paid = paidAsKnown(paid, events)
            escrow = state
          }
          become({ state: sent(gig, kind), events: [] })
          become(advance({ ...escrow, ...facts[outcome] }, moment))
          // a settlement exists only after a first confirmation of its lock
          const first: Told[] = lock[0]!.is === 'confirmed' ? [lock[0]!] : []
          const rest = [...lock, ...(first.length ? settle : []), ...lock, ...settle]
            .map(told => ({ told, at: seeds.next().value! }))
            .sort((a, b) => a.at - b.at)
          for (const { told } of [...first.map(told => ({ told })), ...rest]) become(heardOf(escrow, told))

          const isLocked = last(lock) === 'confirmed'
          const isSettled = last(settle) === 'confirmed'
          const [under, done] = outcome === 'release' ? (['releasing', 'released'] as const) : (['refunding', 'refunded'] as const)
          assert.equal(others, asKnown[escrow.status], `others take it for ${others}, it is ${escrow.status}`)
          if (escrow.status === 'released') assert.equal(paid, escrow.settlement!.txHash)
          else if (escrow.status !== 'releasing') assert.equal(paid, null, 'others take the assignee for paid')
          assert.equal(escrow.status, isLocked ? (isSettled ? done : under) : 'unfunded')
          if (escrow.status !== 'released' && escrow.status !== 'releasing') assert.equal(book.of(`ext:${wallets.worker}`), 0n)
          if (escrow.status === 'unfunded') assert.equal(book.of(`clearing:escrow.settle:${gig.id}`), 0n)
        },
      ),
      { numRuns: 300, includeErrorInReport: true },
    )
  })
})
