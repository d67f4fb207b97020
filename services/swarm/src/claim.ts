import { type Chain, chains, refuse } from '@carapace/api'
import { unlessPassing } from '@carapace/service'
import { transact } from '@carapace/store'
import type { Parts } from './parts.ts'
import { type Claim, claimable, endClaim, requestClaim, rewardId, startClaim, takeBack } from './reward.ts'

/** Turns all funded rewards of a validator into one claim for each network. A second request at the same time finds nothing left. */
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
    // what is claimed on the first network is paid, whatever becomes of the other: its rewards stay claimable
    const claim = claims.length > 0 ? await unlessPassing(claiming) : await claiming
    if (claim) claims.push(claim)
  }
  return claims
}

/** What is funded when the transaction reads it is what is claimed. A claim that failed goes out again under its id, so that it is never paid twice. */
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
    const taken: Claim['rewards'] = []
    for (const rewardId of ids) {
      const { validationId, claiming } = await rewards.rows.change(rewardId, present => startClaim(present, id), { session })
      taken.push({ validationId, amount: claiming })
    }
    const amount = taken.reduce((total, part) => total + part.amount, 0n)
    const decision = requestClaim({ ...request, id, round, amount, rewards: taken, status: 'claiming', txHash: null })
    if (!failed) return rewards.claims.create(decision.state, decision.events, { session })
    const again = (present: Claim) =>
      present.status === 'failed' && present.round === failed.round
        ? decision
        : refuse('CONFLICT', undefined, { message: 'Claimed by another request' })
    return rewards.claims.change(id, again, { session })
  })
}

/** The escrow's word about a round of a claim. One that was paid fails only when a reorganisation undid the payment. */
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
        reward => (was === 'paid' ? takeBack(reward, amount) : endClaim(reward, claimId, status === 'paid')),
        { session },
      )
  })
}
