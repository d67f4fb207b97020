import type { FundingSource } from '@carapace/chain'
import { type Bond, type Move, newMove, withMove } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { bondMoveStates } from '../bond-move-states.ts'
import { depositCommand } from '../commands.ts'
import { needRoom } from './need-room.ts'

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

export function requestDeposit(bond: Bond, { id, operationId, amount, from, source, now }: DepositRequest): BondDecision {
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
  return bondDecision(withMove(bond, move), source ? { events: [depositCommand(bond, move, source)] } : {})
}

/** The custodial source is reserved: the command goes out. */
export function sendDeposit(bond: Bond, id: string, source: FundingSource): BondDecision | undefined {
  const move = bond.moves.find(one => one.id === id)
  if (move?.stage !== 'reserving') return undefined
  const sent: Move = { ...move, stage: bondMoveStates.move(move.stage, 'send') }
  const moves = bond.moves.map(other => (other.id === id ? sent : other))
  return bondDecision({ ...bond, moves }, { events: [depositCommand(bond, sent, source)] })
}
