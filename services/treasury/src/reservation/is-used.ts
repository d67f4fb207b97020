import { chainRelayerApi, getReservationUse } from '@carapace/api'
import type { Parts } from '../parts.ts'
import type { Reservation } from './reservation.ts'

interface Wanted {
  owner: Reservation['owner']
  /** Operation key and round of the command that money is set aside for. */
  key: string
  round: number
  agentId: string | null
}

/**
 * Whether a command that money is set aside for was sent, or may still be. Of a round that its owner does not have open, the relayer knows the command, or
 * nobody sent it.
 */
export async function isUsed({ peers }: Pick<Parts, 'peers'>, { owner, key, round, agentId }: Wanted): Promise<boolean> {
  // the owner first: what it sends after its answer is of a later round
  const { isOpen } = await peers.call(owner, getReservationUse, { body: { key, round, agentId } })
  if (isOpen) return true
  const body = { operations: [{ opKey: key }], events: false }
  const { outcomes } = await peers.call('chain-relayer', chainRelayerApi.internal.chainOutcomes, { body })
  return outcomes.some(outcome => outcome.known && outcome.round >= round)
}
