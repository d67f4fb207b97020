import { refuse, retryableIn } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import type { Escrow } from '../escrow.ts'
import { passingStates } from '../escrow-states.ts'

/** The escrow of a gig, if money was ever requested. @throws NOT_FOUND */
export async function needEscrow({ escrows }: Pick<Parts, 'escrows'>, gigId: string): Promise<Stored<Escrow>> {
  const escrow = await escrows.get(gigId)
  return escrow && escrow.status !== 'none' ? escrow : refuse('NOT_FOUND', { resource: 'escrow' })
}

/** @throws INVALID_STATE, retryable in states that the chain ends within minutes */
export function refuseState(state: string, allowed: readonly string[], message: string): never {
  return refuse('INVALID_STATE', { state, allowed }, { message, ...retryableIn(passingStates, state, allowed) })
}
