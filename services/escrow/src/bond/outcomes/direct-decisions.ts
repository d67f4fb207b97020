import type { Bond, Move } from '../bond.ts'
import type { BondDecision } from '../bond-decision.ts'
import { confirmMove } from './confirmation.ts'
import { reverseMove } from './reversal.ts'

/** A deposit or withdrawal for which nothing was requested here. */
export function makeDirectMove(bond: Bond, move: Move, now: Date): BondDecision {
  const reserved = move.type === 'WITHDRAW' ? { ...bond, free: bond.free - move.amount } : bond
  return withDirect(confirmMove[move.type](reserved, move, { txHash: move.onChain.txHash! }, now), move, false)
}

/** The free part of the result is below zero when a deposit was built upon. */
export function reverseDirectMove(bond: Bond, move: Move, now: Date): BondDecision {
  // the log that replaces it may name another address
  const made = bond.direct?.move.id === move.id ? bond.direct.move : move
  return withDirect(reverseMove[made.type](bond, made, now), made, true)
}

const withDirect = (change: BondDecision, move: Move, isReversed: boolean): BondDecision => ({
  ...change,
  state: { ...change.state, direct: { move, isReversed } },
})
