import { type Bond, newMove, withMove } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { withdrawCommand } from '../commands.ts'
import { reserveFree } from '../stake.ts'
import { needRoom } from './need-room.ts'

export function requestWithdrawal(bond: Bond, request: { id: string; operationId: string; amount: bigint; to: string; now: Date }): BondDecision {
  const { id, operationId, amount, to, now } = request
  needRoom(bond)
  const move = newMove({ id, type: 'WITHDRAW', amount, operationId, address: to, at: now })
  return bondDecision(withMove(reserveFree(bond, amount), move), {
    events: [withdrawCommand(bond, move)],
  })
}
