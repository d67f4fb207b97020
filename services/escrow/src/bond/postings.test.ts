import assert from 'node:assert/strict'
import type { ChainLog } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import type { StateMachine } from '@carapace/store'
import fc from 'fast-check'
import { sum } from '../amounts.ts'
import type { Posting } from '../ledger.ts'
import { start } from '../testing/facts.ts'
import { type BondWalk, randomBondStep } from '../testing/random-bond-step.ts'
import { type Bond, lockedOf, newMove, noBond } from './bond.ts'
import type { BondDecision } from './bond-decision.ts'
import { bondLockStates } from './bond-lock-states.ts'
import { bondMoveStates } from './bond-move-states.ts'
import { applyBondOutcome } from './outcomes/apply-bond-outcome.ts'
import { makeDirectMove, reverseDirectMove } from './outcomes/direct-decisions.ts'
import { bondPostings } from './postings.ts'
import { endLock } from './requests/end-lock.ts'
import { requestDeposit } from './requests/request-deposit.ts'
import { requestLock } from './requests/request-lock.ts'
import { requestSlash } from './requests/request-slash.ts'
import { requestWithdrawal } from './requests/request-withdrawal.ts'

const wallet = `0x${'22'.repeat(20)}`
const agent = { id: 'agent', wallet, chain: 'BASE_SEPOLIA' as const }
const [event, gigId] = ['0190a5d0-0000-7000-8000-000000000001', '0190a5d0-0000-7000-8000-000000000002']
const poolAtFirst = 1_000n

/** A bond and the accounts as its postings leave them. What is booked must be what the bond says, after every change. */
function begin(): BondWalk {
  let bond = noBond(agent)
  const balances = new Map([
    ['fee-pool', poolAtFirst],
    ['ext:others', -poolAtFirst],
  ])
  const keys = new Set<string>()
  const of = (name: string) => balances.get(name) ?? 0n
  const mayBeNegative = (name: string) => /^(ext:|clearing:|loss:)/.test(name)
  /** As the ledger refuses it: what is too early comes again. */
  const isCovered = ({ lines }: Posting) => lines.every(({ account, debit }) => debit === 0n || mayBeNegative(account) || of(account) >= debit)
  const post = ({ key, lines }: Posting) => {
    assert.ok(!keys.has(key), `${key} is posted twice`)
    keys.add(key)
    assert.equal(sum(lines.map(({ debit, credit }) => credit - debit)), 0n, `${key} does not balance`)
    for (const { account, debit, credit } of lines) balances.set(account, of(account) + credit - debit)
  }
  const check = () => {
    assert.deepEqual([of('bond:agent:free'), of('bond:agent:locked'), bond.total], [bond.free, lockedOf(bond), bond.free + lockedOf(bond)])
    const underWay = bond.moves.filter(({ type }) => type !== 'DEPOSIT')
    const inTransit = [...balances].filter(([name, balance]) => name.startsWith('transit:') && balance !== 0n)
    assert.deepEqual(new Map(inTransit), new Map(underWay.map(({ id, amount }) => [`transit:${id}`, amount])))
    const paidBack = sum(underWay.filter(({ type }) => type === 'SLASH_REVERSED').map(({ amount }) => amount))
    assert.equal(of('fee-pool') + of('loss:fee-pool'), poolAtFirst + bond.slashed - paidBack)
  }
  return {
    bond: () => bond,
    surplus: () => (of('loss:fee-pool') < 0n ? of('fee-pool') + of('loss:fee-pool') : of('fee-pool')),
    become: (change: BondDecision | 'later' | undefined) => {
      // what the callers wait for
      if (!change || change === 'later' || change.state.free < 0n) return
      // as the store has it: no part of the one is a part of the other
      const after = structuredClone(change.state)
      const postings = bondPostings(bond, after)
      if (!postings.every(isCovered)) return
      postings.forEach(post)
      bond = after
      check()
    },
  }
}

/** Notes which edges of a table are walked while `walk` runs. */
function edgesOf<State extends string, Trigger extends string>(machine: StateMachine<State, Trigger>, walk: () => void): string[] {
  const { move } = machine
  const walked = new Set<string>()
  machine.move = (state, trigger) => {
    const to = move(state, trigger)
    walked.add(`${state} ${trigger}`)
    return to
  }
  try {
    walk()
  } finally {
    machine.move = move
  }
  return machine.edges().flatMap(({ from, trigger }) => (walked.has(`${from} ${trigger}`) ? [] : [`${from} ${trigger}`]))
}

describe('what a bond posts', () => {
  it('is what the bond says, after every step of random walks that pass every edge of its tables', () => {
    const walks = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 20, maxLength: 80, size: 'max' })
    const walkAll = () =>
      fc.assert(
        fc.property(walks, steps => {
          const walk = begin()
          steps.forEach((seed, n) => {
            randomBondStep(walk, seed, n + 1)
          })
        }),
        { numRuns: 200, includeErrorInReport: true },
      )
    let moves: string[] = []
    const locks = edgesOf(bondLockStates, () => {
      moves = edgesOf(bondMoveStates, walkAll)
    })

    assert.deepEqual([locks, moves], [[], []], 'edges that no walk has passed')
  })

  const funded: Bond = { ...noBond(agent), free: 100n, total: 100n }
  const request = { id: event, operationId: 'o', amount: 20n, now: start }

  it('is nothing where no money moves', () => {
    const deposit = requestDeposit(funded, { ...request, from: wallet, source: { kind: 'allowance' } }).state

    assert.deepEqual([bondPostings(undefined, noBond(agent)), bondPostings(funded, funded), bondPostings(funded, deposit)], [[], [], []])
  })

  it('is named by the command and says where the money is', () => {
    const withdrawal = requestWithdrawal(funded, { ...request, to: wallet }).state
    const lock = requestLock(withdrawal, { lockId: event, gigId, amount: 50n, now: start }).state
    const shown = (before: Bond, after: Bond) => bondPostings(before, after).map(({ key, ref, lines }) => ({ key, ref, lines }))
    const ref = { type: 'bond', id: 'agent' }
    const free = (debit: bigint) => ({ account: 'bond:agent:free', debit, credit: 0n })

    assert.deepEqual(shown(funded, withdrawal), [
      { key: `bond-withdraw:${event}`, ref, lines: [free(20n), { account: `transit:${event}`, debit: 0n, credit: 20n }] },
    ])
    assert.deepEqual(shown(withdrawal, lock), [
      { key: `bond-lock:${event}`, ref, lines: [free(50n), { account: 'bond:agent:locked', debit: 0n, credit: 50n }] },
    ])
  })

  it('follows the contract where it slashed another lock than the reserved one, which has ended', () => {
    const uuid = (n: number) => `0190a5d0-0000-7000-8000-${String(n).padStart(12, '0')}`
    const locks = [1, 2].map(n => ({ lockId: uuid(n), gigId: uuid(10 + n), amount: 50n, now: start }))
    const confirmed = { is: 'confirmed' as const, round: 1, seq: 1, logs: [], txHash: `0x${'ab'.repeat(32)}`, blockNumber: 9 }
    const confirm = (bond: Bond, id: string, logs: ChainLog[] = []): Bond => {
      const made = applyBondOutcome(bond, { ...confirmed, id, logs }, start, () => uuid(9))
      return made && made !== 'later' ? made.state : assert.fail(`${id} changes nothing`)
    }
    const locked = locks.reduce((bond, lock) => confirm(requestLock(bond, lock).state, lock.lockId), funded)
    const slash = {
      slashId: uuid(3),
      operationId: 'o',
      amount: 10n,
      gigId: uuid(11),
      reason: 'r',
      validationId: null,
      by: 'oracle' as const,
      now: start,
    }
    const ended = confirm(endLock(requestSlash(locked, slash).state, uuid(11), uuid(4))!.state, uuid(4))

    const args = { agent: wallet, gigId: onChainKey(uuid(12)), amount: '10' }
    const after = confirm(ended, slash.slashId, [{ contract: 'Bond', event: 'BondLockReduced', args, address: wallet, logIndex: 0 }])

    assert.deepEqual([after.free, lockedOf(after)], [50n, 40n])
    const line = (account: string, change: bigint) => ({ account, debit: change < 0n ? -change : 0n, credit: change > 0n ? change : 0n })
    const lines = [line('bond:agent:free', 10n), line('bond:agent:locked', -10n), line(`transit:${uuid(3)}`, -10n), line('fee-pool', 10n)]
    assert.deepEqual(
      bondPostings(ended, after).map(posting => posting.lines),
      [lines],
    )
  })

  it('reverses a direct move that is not the newest one', () => {
    const move = newMove({ id: 'first', type: 'DEPOSIT', amount: 30n, operationId: 'first', address: wallet, at: start })
    const first = makeDirectMove(noBond(agent), move, start).state
    const second = makeDirectMove(first, { ...move, id: 'second' }, start).state
    const [posting] = bondPostings(second, reverseDirectMove(second, move, start).state)

    assert.deepEqual([posting?.key, posting?.lines.map(({ account }) => account)], ['bond-undone:first', ['bond:agent:free', `ext:${wallet}`]])
  })

  it('refuses a stake that changes without a command', () => {
    assert.throws(() => bondPostings(funded, { ...funded, free: 99n }), /has changed without a command/)
  })
})
