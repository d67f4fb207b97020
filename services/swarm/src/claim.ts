import { type Chain, chains, refuse } from '@carapace/api'
import { unlessPassing } from '@carapace/service'
import { transact } from '@carapace/store'
import type { Parts } from './parts.ts'
import { type Claim, claimable, endClaim, requestClaim, reverseClaim, rewardId, startClaim } from './reward.ts'

/** Turns all funded rewards of a validator into one claim for each network. A concurrent second request finds no claimable reward. */
export function claimFunded(parts: Parts, validatorId: string, wallet: string, by: Claim['by']): Promise<Claim[]> {
  return parts.queue.serialize(validatorId, () => claimAll(parts, validatorId, wallet, by))
}

async function claimAll(parts: Parts, validatorId: string, wallet: string, by: Claim['by']): Promise<Claim[]> {
  const funded = (await parts.rewards.rows.find({ validatorId })).filter(reward => claimable(reward) > 0n && reward.claiming === 0n)
  const claims: Claim[] = []
  for (const chain of chains) {
    const ids = funded.filter(reward => reward.chain === chain).map(({ id }) => id)
    if (ids.length === 0) continue
    const claiming = claimOn(parts, ids, { validatorId, wallet, chain, by })
    // a claim on the first network is paid even if the other fails, whose rewards stay claimable
    const claim = claims.length > 0 ? await unlessPassing(claiming) : await claiming
    if (claim) claims.push(claim)
  }
  return claims
}

/** Claims what is funded when the transaction reads it. A failed claim is sent again under its id, so that it is never paid twice. */
async function claimOn(
  parts: Parts,
  ids: readonly string[],
  request: { validatorId: string; wallet: string; chain: Chain; by: Claim['by'] },
): Promise<Claim> {
  const { rewards, newId } = parts
  const { validatorId, chain } = request
  const [failed] = await rewards.claims.find({ validatorId, chain, status: 'failed' }, { sort: { createdAt: -1, _id: -1 }, limit: 1 })
  const id = failed?.id ?? newId()
  const round = (failed?.round ?? 0) + 1
  return transact(parts, async session => {
    const claimed: Claim['rewards'] = []
    for (const rewardId of ids) {
      const { validationId, claiming } = await rewards.rows.change(rewardId, present => startClaim(present, id), { session })
      claimed.push({ validationId, amount: claiming })
    }
    const amount = claimed.reduce((total, part) => total + part.amount, 0n)
    const decision = requestClaim({ ...request, id, round, amount, rewards: claimed, status: 'claiming', txHash: null })
    if (!failed) return rewards.claims.create(decision.state, decision.events, { session })
    const again = (present: Claim) =>
      present.status === 'failed' && present.round === failed.round
        ? decision
        : refuse('CONFLICT', undefined, { message: 'Claimed by another request' })
    return rewards.claims.change(id, again, { session })
  })
}

/** The escrow's outcome of a round of a claim. A paid claim fails only when a reorganisation reversed the payment. */
export async function closeClaim(
  { db, rewards }: Parts,
  { claimId, round }: { claimId: string; round: number },
  status: 'paid' | 'failed',
  txHash: string | null,
): Promise<void> {
  await transact({ db }, async session => {
    let before: Claim | undefined
    await rewards.claims.change(
      claimId,
      claim => {
        const isNews = claim.round === round && (claim.status === 'claiming' || (claim.status === 'paid' && status === 'failed'))
        before = isNews ? claim : undefined
        return isNews ? { state: { ...claim, status, txHash }, events: [] } : undefined
      },
      { session },
    )
    if (!before) return
    const { validatorId, rewards: parts, status: was } = before
    for (const { validationId, amount } of parts)
      await rewards.rows.change(
        rewardId(validationId, validatorId),
        reward => (was === 'paid' ? reverseClaim(reward, amount) : endClaim(reward, claimId, status === 'paid')),
        { session },
      )
  })
}
