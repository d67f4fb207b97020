import { type Bond, newMove, withMove } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { unslashCommand } from '../commands.ts'
import type { SlashRequest } from './request-slash.ts'

/** Pays a slash back out of the pool's surplus. */
export function requestReversal(bond: Bond, request: Omit<SlashRequest, 'by'> & { id: string }): BondDecision {
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
  return bondDecision(withMove({ ...bond, reversed: [...bond.reversed, slashId] }, move), {
    events: [unslashCommand(bond, move)],
  })
}
