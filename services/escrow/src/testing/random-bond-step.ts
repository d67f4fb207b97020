import type { ChainLog } from '@carapace/api'
import { dayMs } from '@carapace/api'
import { onChainKey, sentOnChain } from '@carapace/chain'
import { amountOf, least } from '../amounts.ts'
import { type Bond, lockedOf, type Move, newMove } from '../bond/bond.ts'
import type { BondDecision } from '../bond/bond-decision.ts'
import { applyBondOutcome } from '../bond/outcomes/apply-bond-outcome.ts'
import { makeDirectMove, reverseDirectMove } from '../bond/outcomes/direct-decisions.ts'
import { unlockedByOthers } from '../bond/outcomes/outside-unlock.ts'
import { reverseOutsideUnlock } from '../bond/outcomes/reversal.ts'
import { endLock, onTime } from '../bond/requests/end-lock.ts'
import { failMove } from '../bond/requests/fail-move.ts'
import { requestDeposit, sendDeposit } from '../bond/requests/request-deposit.ts'
import { requestLock } from '../bond/requests/request-lock.ts'
import { requestReversal } from '../bond/requests/request-reversal.ts'
import { requestSlash, slashAndUnlock } from '../bond/requests/request-slash.ts'
import { requestWithdrawal } from '../bond/requests/request-withdrawal.ts'
import { later, start } from './facts.ts'

/** A bond that is walked at random, with the surplus of the pool. */
export interface BondWalk {
  bond(): Bond
  surplus(): bigint
  become(change: BondDecision | 'later' | undefined): void
}

interface Step {
  bond: Bond
  surplus: bigint
  /** Of the step: names what it makes, and rises as the `seq` of outcomes does. */
  n: number
  now: Date
  pick<T>(from: readonly T[]): T | undefined
  /** From 1 to `most`; undefined when that is nothing. */
  some(most: bigint): bigint | undefined
}
type Act = (step: Step) => BondDecision | 'later' | undefined

const hash = `0x${'ab'.repeat(32)}`
const facts = { operationId: 'o', reason: 'r', validationId: null }
const uuid = (n: number) => `0190a5d0-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Does one of all that can happen to a bond, if it can happen now. */
export function randomBondStep(walk: BondWalk, [which, where, much]: readonly [number, number, number], n: number): void {
  const bond = walk.bond()
  const step: Step = {
    bond,
    surplus: walk.surplus(),
    n,
    now: later(n * 1_000),
    pick: from => from[where % from.length],
    some: most => (most > 0n ? 1n + (BigInt(much) % most) : undefined),
  }
  walk.become(acts[which % acts.length]!(step))
}

const deposit: Act = ({ bond, n, now }) =>
  requestDeposit(bond, { id: uuid(n), ...facts, amount: 100n, from: bond.wallet, source: n % 2 ? { kind: 'allowance' } : undefined, now })

const reserve: Act = ({ bond, pick, n }) => {
  const move = pick(bond.moves.filter(({ stage }) => stage === 'reserving'))
  if (!move) return undefined
  return n % 3 ? sendDeposit(bond, move.id, { kind: 'allowance' }) : failMove(bond, move, 'FUNDS_REQUIRED')
}

const withdraw: Act = ({ bond, some, n, now }) => {
  const amount = some(bond.free)
  return amount === undefined ? undefined : requestWithdrawal(bond, { id: uuid(n), ...facts, amount, to: bond.wallet, now })
}

const lock: Act = ({ bond, some, n, now }) => {
  const amount = some(bond.free)
  return amount === undefined ? undefined : requestLock(bond, { lockId: uuid(n), gigId: uuid(10_000 + n), amount, now })
}

const slash: Act = ({ bond, some, pick, n, now }) => {
  const amount = some(bond.free + lockedOf(bond))
  const gigId = pick(bond.locks)?.gigId ?? null
  return amount === undefined ? undefined : requestSlash(bond, { ...facts, slashId: uuid(n), gigId, amount, by: 'oracle', now })
}

const judge: Act = ({ bond, pick, n, now }) => {
  const held = pick(bond.locks.filter(({ stage }) => stage === 'locked'))
  return held && slashAndUnlock(bond, { ...facts, slashId: uuid(n), unlockId: uuid(20_000 + n), gigId: held.gigId, by: 'swarm', now }).outcome
}

const payBack: Act = ({ bond, surplus, some, pick, n, now }) => {
  const made = pick(bond.done.flatMap(one => ('move' in one && one.move.type === 'SLASH' && !bond.reversed.includes(one.id) ? [one.move] : [])))
  const amount = made && some(least(made.amount, surplus))
  return amount === undefined ? undefined : requestReversal(bond, { ...facts, id: uuid(n), slashId: made!.id, gigId: null, amount, now })
}

const end: Act = ({ bond, pick, n }) => {
  const held = pick(bond.locks)
  return held && endLock(bond, held.gigId, uuid(n))
}

const time: Act = ({ bond, n, now }) => onTime(bond, n % 5 ? new Date(now.getTime() + 3_600_000) : later(181 * dayMs, start), () => uuid(n))

/** An outcome of any command that the bond remembers; a slash as the contract divided it. */
const outcome =
  (is: 'confirmed' | 'failed'): Act =>
  ({ bond, pick, n, now }) => {
    const commands = [
      ...bond.moves.filter(({ stage }) => stage === 'sent').map(({ id }) => ({ id, round: 1 })),
      ...bond.locks.flatMap(({ lockId, unlockId, unlockOnChain }) => [
        { id: lockId, round: 1 },
        ...(unlockId === null ? [] : [{ id: unlockId, round: unlockOnChain!.round }]),
      ]),
      ...bond.done.map(({ id }) => ({ id, round: 9 })),
    ]
    const chosen = pick(commands)
    if (!chosen) return undefined
    const given = { ...chosen, seq: n, txHash: hash, blockNumber: n }
    const logs = reductions(
      bond,
      [...bond.moves, ...bond.done.flatMap(one => ('failedMove' in one ? [one.failedMove] : []))].find(({ id }) => id === chosen.id),
    )
    const newId = () => uuid(30_000 + n)
    return applyBondOutcome(bond, is === 'confirmed' ? { ...given, is, logs } : { ...given, is, code: 'REVERTED', message: 'reverted' }, now, newId)
  }

/** The contract walks the locks in an order of its own. */
function reductions({ locks, wallet }: Bond, move: Move | undefined): ChainLog[] {
  if (move?.type !== 'SLASH') return []
  let left = amountOf(move.taken)
  return [...locks].reverse().flatMap(({ gigId, amount }) => {
    const part = least(left, amount + amountOf(move.taken.filter(one => one.gigId === gigId)))
    if (part <= 0n) return []
    left -= part
    const args = { agent: wallet, gigId: onChainKey(gigId), amount: String(part) }
    return [{ contract: 'Bond', event: 'BondLockReduced', args, address: wallet, logIndex: 0 }]
  })
}

const direct: Act = ({ bond, some, n, now }) => {
  const type = n % 2 ? 'DEPOSIT' : 'WITHDRAW'
  const amount = type === 'DEPOSIT' ? 50n : some(bond.free)
  const onChain = { ...sentOnChain, status: 'confirmed' as const, txHash: hash, blockNumber: n }
  return amount === undefined
    ? undefined
    : makeDirectMove(bond, newMove({ id: uuid(n), operationId: uuid(n), type, amount, address: bond.wallet, onChain, at: now }), now)
}

const dropDirect: Act = ({ bond, now }) => (bond.direct && !bond.direct.isReversed ? reverseDirectMove(bond, bond.direct.move, now) : undefined)

const unlockByOthers: Act = ({ bond, pick, n, now }) => {
  const held = pick(bond.locks.filter(({ stage }) => stage === 'locked'))
  return held && unlockedByOthers(bond, held, { id: `outside-${n}`, txHash: hash }, now)
}

const dropUnlock: Act = ({ bond, pick, now }) => {
  const done = pick(bond.done.filter(one => one.id.startsWith('outside-')))
  if (!done || !('unlocked' in done) || bond.locks.some(({ gigId }) => gigId === done.unlocked.gigId)) return undefined
  return reverseOutsideUnlock({ ...bond, done: bond.done.filter(one => one !== done) }, done.unlocked, done.id, now)
}

const [confirm, fail] = [outcome('confirmed'), outcome('failed')]
const acts: readonly Act[] = [
  ...[deposit, reserve, withdraw, lock, slash, judge, payBack, end, time, direct, dropDirect, unlockByOthers, dropUnlock],
  // most of what happens to a bond is an answer of the chain
  ...Array.from({ length: 8 }, () => confirm),
  ...Array.from({ length: 5 }, () => fail),
]
