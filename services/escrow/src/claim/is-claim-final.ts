import { chainRelayerApi } from '@carapace/api'
import { operationKey } from '@carapace/chain'
import { unlessPassing } from '@carapace/service'
import type { Parts } from '../parts.ts'
import type { Claim } from './claim.ts'

/** Whether the chain changes nothing about a claim any more, and all that it decided was followed. While the relayer is away nobody knows that. */
export async function isClaimFinal({ peers }: Parts, { id, status, onChain }: Claim): Promise<boolean> {
  if (status === 'claiming') return false
  const body = { operations: [{ opKey: operationKey('reward.pay', id), seq: onChain.seq }], events: false }
  const answer = await unlessPassing(peers.call('chain-relayer', chainRelayerApi.internal.chainOutcomes, { body }))
  const outcome = answer?.outcomes[0]
  // a claim that was not covered has no command
  return outcome !== undefined && !outcome.news && (outcome.ended || !outcome.known)
}
