import { type Chain, chains, refuse } from '@carapace/api'
import { unlessPassing } from '@carapace/service'
import { transact } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { type ClaimState, claimStates } from './claim-states.ts'
import { type Claim, correctPayment, endClaim, type Reward, requestClaim, rewardId, startClaim } from './reward.ts'

/** Claims all funded rewards of a validator, on each network on its own. A concurrent second request finds no claimable reward. */
export function claimFunded(parts: Parts, validatorId: string, wallet: string, by: Claim['by']): Promise<Claim[]> {
  return parts.queue.serialize(validatorId, () => claimAll(parts, validatorId, wallet, by))
}

async function claimAll(parts: Parts, validatorId: string, wallet: string, by: Claim['by']): Promise<Claim[]> {
  const funded = await parts.rewards.claimableOf(validatorId)
  const claims: Claim[] = []
  for (const chain of chains) {
    const open = funded.filter(reward => reward.chain === chain)
    for (const [failed, ids] of await byFailedClaim(parts, open, { validatorId, chain })) {
      const claiming = claimOn(parts, ids, failed, { validatorId, wallet, chain, by })
      // the first claim is paid even if another one fails, whose rewards stay claimable
      const claim = claims.length > 0 ? await unlessPassing(claiming) : await claiming
      if (claim) claims.push(claim)
    }
  }
  return claims
}

/**
 * A failed claim is sent again under its id with the rewards that it was for: the chain may still make the first payment, and pays an id once. What is
 * in none goes with the newest.
 */
async function byFailedClaim({ rewards }: Parts, open: readonly Reward[], of: { validatorId: string; chain: Chain }) {
  const groups = new Map<Claim | undefined, string[]>()
  if (open.length === 0) return groups
  const failed = await rewards.claims.find({ ...of, status: 'failed' }, { sort: { createdAt: -1, _id: -1 } })
  for (const { id, validationId } of open) {
    const own = failed.find(claim => claim.rewards.some(part => part.validationId === validationId)) ?? failed[0]
    groups.set(own, [...(groups.get(own) ?? []), id])
  }
  return groups
}

/** Claims what is funded when the transaction reads it. */
async function claimOn(
  { db, rewards, newId }: Parts,
  ids: readonly string[],
  failed: Claim | undefined,
  request: { validatorId: string; wallet: string; chain: Chain; by: Claim['by'] },
): Promise<Claim> {
  const id = failed?.id ?? newId()
  const round = (failed?.round ?? 0) + 1
  return transact({ db }, async session => {
    const claimed: Claim['rewards'] = []
    for (const rewardId of ids) {
      const { validationId, claiming } = await rewards.rows.change(rewardId, present => startClaim(present, id), { session })
      claimed.push({ validationId, amount: claiming })
    }
    const amount = claimed.reduce((total, part) => total + part.amount, 0n)
    const { outcomeVersion = 0 } = failed ?? {}
    const status = failed ? claimStates.move(failed.status, 'retry') : claimStates.initial
    const decision = requestClaim({ ...request, id, round, amount, rewards: claimed, status, txHash: null, outcomeVersion })
    if (!failed) return rewards.claims.create(decision.state, decision.events, { session })
    const again = (present: Claim) =>
      claimStates.next(present.status, 'retry') !== undefined && present.round === failed.round
        ? decision
        : refuse('CONFLICT', undefined, { message: 'Claimed by another request' })
    return rewards.claims.change(id, again, { session })
  })
}

/** How a round of a claim ended at the escrow. `rewards`: what was paid of it; undefined: all. `version`: orders what the escrow says about a claim. `isFinal`: so it stays. */
type Ended = { claimId: string; round: number; version: number; isFinal?: boolean } & (
  | { is: 'paid'; txHash: string; rewards: Claim['rewards'] | undefined }
  | { is: 'failed' }
)

/**
 * The escrow's outcome of a round of a claim. A paid claim fails, a failed one is paid after all, and a paid one is paid another amount, where a
 * reorganisation changed the payment.
 */
export async function closeClaim({ db, rewards }: Parts, ended: Ended): Promise<void> {
  const { claimId, round, version } = ended
  await transact({ db }, async session => {
    let before: Claim | undefined
    const after = await rewards.claims.change(
      claimId,
      claim => {
        const { status, outcomeVersion = 0 } = claim
        const next = claimStates.next(status, ended.is === 'paid' ? 'pay' : 'fail')
        const isNews = next !== undefined && claim.round === round && version > outcomeVersion
        before = isNews ? claim : undefined
        if (isNews) return { state: closed(claim, next, ended), events: [] }
        const isSame = claim.round === round && version >= outcomeVersion && status === ended.is
        return isSame && ended.isFinal && !claim.isFinal ? { state: { ...claim, isFinal: true }, events: [] } : undefined
      },
      { session },
    )
    if (!before) return
    const { validatorId, status: was } = before
    const [requested, paidBefore, paid] = [rewardsOf(before), rewardsOf(before, 'paid'), rewardsOf(after, 'paid')]
    for (const validationId of new Set([...requested.keys(), ...paid.keys()])) {
      const amount = paid.get(validationId) ?? 0n
      const isEnded = was === 'claiming' && requested.has(validationId)
      const decide = (reward: Reward) =>
        isEnded ? endClaim(reward, claimId, amount) : correctPayment(reward, amount - (paidBefore.get(validationId) ?? 0n))
      await rewards.rows.change(rewardId(validationId, validatorId), decide, { session })
    }
  })
}

/** Its rewards with their amounts; none when it has another status than `only`. */
const rewardsOf = ({ status, rewards }: Claim, only = status): Map<string, bigint> =>
  new Map(status === only ? rewards.map(({ validationId, amount }) => [validationId, amount]) : [])

function closed({ isFinal: _, ...claim }: Claim, status: ClaimState, ended: Ended): Claim {
  const outcome = { outcomeVersion: ended.version, ...(ended.isFinal ? { isFinal: true as const } : {}) }
  if (ended.is === 'failed') return { ...claim, status, txHash: null, ...outcome }
  const rewards = ended.rewards ?? claim.rewards
  const amount = rewards.reduce((total, part) => total + part.amount, 0n)
  return { ...claim, status, txHash: ended.txHash, rewards, amount, ...outcome }
}
