import type { BodyOf, getReservationUse } from '@carapace/api'
import { operationParts } from '@carapace/chain'
import type { Parts } from '../parts.ts'

/** Whether a record of the escrow will send this round of a lock or deposit, has sent it, or holds what it locked. */
export async function isReservationOpen(parts: Parts, { key, round, agentId }: BodyOf<typeof getReservationUse>): Promise<boolean> {
  const [kind, id] = operationParts(key)
  if (kind === 'escrow.lock' || kind === 'escrow.lock-x402') return (await parts.escrows.get(id))?.lock?.onChain.round === round
  // a move that is done is in the history from the same write on
  const isUnderWay = agentId !== null && (await parts.bonds.get(agentId))?.moves.some(move => move.id === id)
  return isUnderWay === true || (await parts.bondHistory.current(id)) !== undefined
}
