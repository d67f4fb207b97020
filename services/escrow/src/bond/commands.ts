import { dayMs, refuse, usd } from '@carapace/api'
import { commands, type FundingSource, type OnChain, retryAfter, sentOnChain } from '@carapace/chain'
import { id as keccakOfText } from 'ethers'
import { deadline } from '../escrow/commands.ts'
import { type Bond, type BondLock, lastSlashOf, type Move, type MoveType, newMove, slashOf, timeout, withLock, withoutMove } from './bond.ts'
import { type BondChange, bondChange } from './bond-change.ts'
import { bondLockStates } from './bond-lock-states.ts'
import { bondMoveStates } from './bond-move-states.ts'
import { reserveForSlash, reserveFree, restoreStake, retryableWhileGrowing } from './stake.ts'

const assignmentTimeoutMs = 15 * 60_000
const verdictPauseMs = 7 * dayMs

const target = (bond: Bond, bondEventId: string) => ({ bondEventId, agent: bond.wallet, chain: bond.chain })
const withMove = (bond: Bond, move: Move): Bond => ({ ...bond, moves: [...bond.moves, move] })

/** Commands of one agent that may be under way: each waits for the chain, and all are written with each change of the bond. */
const maxUnderWay = 32

/**
 * Of deposits, withdrawals and ordered slashes, which a client may send as often as it likes.
 * @param waiting calls that wait for this bond: as many may wait as may be under way, the next one would wait too long
 * @throws INVALID_STATE, retryable: others end
 */
export function needRoom({ moves }: Pick<Bond, 'moves'>, waiting = 0): void {
  if (moves.length < maxUnderWay && waiting < maxUnderWay) return
  const message = `${maxUnderWay} commands of this bond are under way`
  refuse('INVALID_STATE', { state: 'busy', allowed: ['ready'] }, { message, retryable: true, retryAfter: 1 })
}

export interface DepositRequest {
  id: string
  operationId: string
  amount: bigint
  /** Where the money comes from. */
  from: string
  /** Undefined for a custodial source: treasury reserves first. */
  source: FundingSource | undefined
  now: Date
}

export function requestDeposit(bond: Bond, { id, operationId, amount, from, source, now }: DepositRequest): BondChange {
  needRoom(bond)
  const move = newMove({
    id,
    type: 'DEPOSIT',
    amount,
    operationId,
    address: from,
    isCustodial: !source,
    ...(source ? {} : { stage: bondMoveStates.initial }),
    at: now,
  })
  return bondChange(withMove(bond, move), source ? { events: [depositCommand(bond, move, source)] } : {})
}

const depositCommand = (bond: Bond, { id, amount }: Move, source: FundingSource) =>
  commands.bondDeposit({ ...target(bond, id), amount, source, deadline: deadline() })

/** The custodial source is reserved: the command goes out. */
export function sendDeposit(bond: Bond, id: string, source: FundingSource): BondChange | undefined {
  const move = bond.moves.find(known => known.id === id)
  if (move?.stage !== 'reserving') return undefined
  const sent: Move = { ...move, stage: bondMoveStates.move(move.stage, 'send') }
  const moves = bond.moves.map(known => (known.id === id ? sent : known))
  return bondChange({ ...bond, moves }, { events: [depositCommand(bond, sent, source)] })
}

export function requestWithdrawal(bond: Bond, request: { id: string; operationId: string; amount: bigint; to: string; now: Date }): BondChange {
  const { id, operationId, amount, to, now } = request
  needRoom(bond)
  const move = newMove({ id, type: 'WITHDRAW', amount, operationId, address: to, at: now })
  return bondChange(withMove(reserveFree(bond, amount), move), {
    events: [commands.bondWithdraw({ ...target(bond, id), to, amount, deadline: deadline() })],
  })
}

/** Locks what a gig requires; once for an agent and a gig. @throws INSUFFICIENT_BOND */
export function requestLock(bond: Bond, { lockId, gigId, amount, now }: { lockId: string; gigId: string; amount: bigint; now: Date }): BondChange {
  if (amount > bond.free) refuse('INSUFFICIENT_BOND', { required: usd(amount), available: usd(bond.free) }, retryableWhileGrowing(bond))
  const lock: BondLock = {
    gigId,
    amount,
    at: now,
    lockId,
    onChain: sentOnChain,
    unlockId: null,
    unlockOnChain: null,
    stage: bondLockStates.initial,
    retryAt: null,
    askAt: new Date(now.getTime() + assignmentTimeoutMs),
    isOver: false,
    isClean: true,
    isAgain: false,
  }
  return bondChange(
    { ...bond, free: bond.free - amount, locks: [...bond.locks, lock] },
    { events: [commands.bondLock({ ...target(bond, lockId), gigId, amount })] },
  )
}

/** Ends a lock: immediately when it is on chain, else as soon as it is. Undefined when that was requested before. */
export function endLock(bond: Bond, gigId: string, unlockId: string, isClean = true): BondChange | undefined {
  const lock = bond.locks.find(held => held.gigId === gigId)
  if (!lock || lock.stage === 'unlocking') return undefined
  if (lock.stage === 'locking') return lock.isOver ? undefined : bondChange(withLock(bond, gigId, { isOver: true, askAt: null }))
  const change = { stage: bondLockStates.move(lock.stage, 'unlock'), unlockId, unlockOnChain: sentOnChain, isOver: true, isClean, askAt: null }
  return bondChange(withLock(bond, gigId, change), { events: [commands.bondUnlock({ ...target(bond, unlockId), gigId })] })
}

/** An unlock that failed goes out again minutes later, as the next round. */
export function unlockFailed(bond: Bond, gigId: string, unlockOnChain: Required<OnChain>, now: Date): BondChange {
  return bondChange(withLock(bond, gigId, { retryAt: retryAfter(unlockOnChain.round, now), unlockOnChain }))
}

/** What time does to the locks of a bond: failed unlocks go out again, a lock of 180 days ends. */
export function onTime(bond: Bond, now: Date, newId: () => string): BondChange | undefined {
  const retry = bond.locks.find(({ retryAt }) => retryAt !== null && retryAt <= now)
  if (retry) {
    const { gigId, unlockId, unlockOnChain } = retry
    const round = unlockOnChain!.round + 1
    return bondChange(withLock(bond, gigId, { retryAt: null, unlockOnChain: { ...sentOnChain, round, seq: unlockOnChain!.seq } }), {
      events: [commands.bondUnlock({ ...target(bond, unlockId!), gigId, round })],
    })
  }
  const old = bond.locks.find(({ stage, at }) => stage === 'locked' && timeout(at) <= now)
  return old && endLock(bond, old.gigId, newId())
}

export interface SlashRequest {
  /** Of the row, and of the bond event. */
  slashId: string
  operationId: string
  amount: bigint
  /** Its lock is slashed first. */
  gigId: string | null
  reason: string
  validationId: string | null
  by: Move['by']
  now: Date
}

/** Moves stake into the fee pool: locked parts first, the rest of the free part. */
export function requestSlash(bond: Bond, request: SlashRequest): BondChange {
  const { slashId, operationId, amount, gigId, reason, validationId, by, now } = request
  const { bond: reduced, reductions } = reserveForSlash(bond, amount, gigId)
  const move = newMove({
    id: slashId,
    slashId,
    type: 'SLASH',
    amount,
    operationId,
    address: bond.wallet,
    taken: reductions,
    gigId,
    reason,
    validationId,
    by,
    at: now,
  })
  return bondChange(withMove(reduced, move), {
    events: [commands.bondSlash({ ...target(bond, slashId), gigId, amount, reasonHash: keccakOfText(reason) })],
  })
}

/** The slash of a verdict: 20 % of the gig's lock, at most one in seven days; then the rest is unlocked. `slashed` is 0 when none is due. */
export function slashAndUnlock(
  bond: Bond,
  request: Omit<SlashRequest, 'amount'> & { gigId: string; unlockId: string },
): { outcome: BondChange; slashed: bigint } {
  const lock = bond.locks.find(({ gigId }) => gigId === request.gigId)!
  const amount = slashOf(lock.amount)
  const isTooSoon = bond.moves.some(({ by, type }) => by === 'swarm' && type === 'SLASH') || isWithin(lastSlashOf(bond, 'verdict'), request.now)
  const slash = amount > 0n && !isTooSoon ? requestSlash(bond, { ...request, amount }) : undefined
  const unlock = endLock(slash?.state ?? bond, request.gigId, request.unlockId, slash === undefined)!
  return {
    outcome: { ...unlock, events: [...(slash?.events ?? []), ...unlock.events] },
    slashed: slash ? amount : 0n,
  }
}

const isWithin = (last: Date | null, now: Date): boolean => last !== null && now.getTime() - last.getTime() < verdictPauseMs

/** Pays a slash back out of the pool's surplus. */
export function requestReversal(bond: Bond, request: Omit<SlashRequest, 'by'> & { id: string }): BondChange {
  const { id, slashId, operationId, amount, gigId, reason, validationId, now } = request
  const move = newMove({
    id,
    slashId,
    type: 'SLASH_REVERSED',
    amount,
    operationId,
    address: bond.wallet,
    gigId,
    reason,
    validationId,
    by: 'admin',
    at: now,
  })
  return bondChange(withMove({ ...bond, reversed: [...bond.reversed, slashId] }, move), {
    events: [commands.bondUnslash({ ...target(bond, id), slashId, amount })],
  })
}

/** Another command has paid the same slash back: one that had failed before and that the chain carried out after all. */
const isPaidBack = ({ done }: Bond, { id, slashId }: Move): boolean =>
  done.some(known => 'move' in known && known.id !== id && known.move.type === 'SLASH_REVERSED' && known.move.slashId === slashId)

/** The terminal failure of a command, or treasury's refusal: what was reserved goes back to where it was. */
export function failMove(bond: Bond, move: Move, code: string): BondChange {
  const { id, type, amount, gigId, reason } = move
  const failures = [{ id, agentId: bond.id, eventType: type, amount, gigId, reason, code }]
  const state = withoutMove(bond, move, 'fail')
  return bondChange(restoredBy[type](state, move), { failures })
}

/** A bond as it is when one of its commands has had no effect. */
const restoredBy: Record<MoveType, (bond: Bond, move: Move) => Bond> = {
  DEPOSIT: bond => bond,
  WITHDRAW: (bond, { amount }) => ({ ...bond, free: bond.free + amount }),
  SLASH: restoreStake,
  SLASH_REVERSED: (bond, move) => (isPaidBack(bond, move) ? bond : { ...bond, reversed: bond.reversed.filter(slashId => slashId !== move.slashId) }),
}
