import type { Parts } from './parts.ts'
import { type Claim, claimable, requestClaim, startClaim } from './reward.ts'

/** Turns all funded rewards of a validator into one claim for each network. A second request at the same time finds nothing left. */
export async function claimFunded(parts: Parts, validatorId: string, wallet: string, by: Claim['by']): Promise<Claim[]> {
  const funded = (await parts.rewards.rows.find({ validatorId })).filter(reward => claimable(reward) > 0n && reward.claiming === 0n)
  const claims: Claim[] = []
  for (const chain of new Set(funded.map(reward => reward.chain))) {
    const rewards = funded.filter(reward => reward.chain === chain)
    const claim: Claim = {
      id: parts.newId(),
      validatorId,
      wallet,
      chain,
      amount: rewards.reduce((total, reward) => total + claimable(reward), 0n),
      rewards: rewards.map(reward => ({ validationId: reward.validationId, amount: claimable(reward) })),
      by,
      status: 'claiming',
      txHash: null,
    }
    await parts.db.transaction(async session => {
      for (const reward of rewards) await parts.rewards.rows.change(reward.id, present => startClaim(present, claim.id), { session })
      const { state, events } = requestClaim(claim)
      await parts.rewards.claims.create(state, events, { session })
    })
    claims.push(claim)
  }
  return claims
}
