import { type Bond, type Move, type MoveType, withoutMove } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { restoreStake } from '../stake.ts'

/** Another command has paid the same slash back: one that had failed before and that the chain carried out after all. */
const isPaidBack = ({ done }: Bond, { id, slashId }: Move): boolean =>
  done.some(other => 'move' in other && other.id !== id && other.move.type === 'SLASH_REVERSED' && other.move.slashId === slashId)

/** The terminal failure of a command, or treasury's refusal: what was reserved goes back to where it was. */
export function failMove(bond: Bond, move: Move, code: string): BondDecision {
  const { id, type, amount, gigId, reason } = move
  const failures = [{ id, agentId: bond.id, eventType: type, amount, gigId, reason, code }]
  const state = withoutMove(bond, move, 'fail')
  return bondDecision(restoredBy[type](state, move), { failures })
}

/** A bond as it is when one of its commands has had no effect. */
const restoredBy: Record<MoveType, (bond: Bond, move: Move) => Bond> = {
  DEPOSIT: bond => bond,
  WITHDRAW: (bond, { amount }) => ({ ...bond, free: bond.free + amount }),
  SLASH: restoreStake,
  SLASH_REVERSED: (bond, move) => (isPaidBack(bond, move) ? bond : { ...bond, reversed: bond.reversed.filter(slashId => slashId !== move.slashId) }),
}
