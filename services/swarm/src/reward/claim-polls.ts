import { escrowApi } from '@carapace/api'
import { type Job, peerPolls } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { closeClaim } from './claim.ts'
import type { Claim } from './reward.ts'

/** The escrow pays claims, so it is polled for those under way, and for those that a reorganisation may still pay or reverse. */
export const claimPolls = (parts: Parts): Job =>
  peerPolls<Claim>(parts, {
    name: 'claims that are not final',
    records: parts.rewards.claims,
    filter: { isFinal: null },
    since: 'updatedAt',
    poll: claim => poll(parts, claim),
  })

/** The request itself is sent again: an escrow that never got it pays the claim now. */
async function poll(parts: Parts, { id, round, validatorId, wallet, chain, amount, rewards }: Claim): Promise<void> {
  const requested = rewards.map(part => ({ validationId: part.validationId, amount: String(part.amount) }))
  const body = { claimId: id, round, validatorId, wallet, chain, amount: String(amount), rewards: requested }
  const answer = await parts.peers.call('escrow', escrowApi.internal.payRewardClaim, { body })
  const ended = { claimId: id, round: answer.round, version: answer.version, isFinal: answer.isFinal }
  if (answer.status === 'failed') await closeClaim(parts, { ...ended, is: 'failed' })
  if (answer.status === 'claimed' && answer.txHash !== null) {
    const paid = answer.rewards.map(part => ({ validationId: part.validationId, amount: BigInt(part.amount) }))
    await closeClaim(parts, { ...ended, is: 'paid', txHash: answer.txHash, rewards: paid })
  }
}
