import { account, type Posting, transfer } from '../ledger.ts'
import type { Reward } from './reward.ts'

/** What a funding out of the pool means for the ledger. */
export function fundingPostings(before: Reward, { id, shares, topUps }: Reward): Posting[] {
  const lines = shares.flatMap(({ validatorId, funded }, index) => {
    const amount = funded - before.shares[index]!.funded
    return amount > 0n ? transfer(account.feePool, account.reward(id, validatorId), amount) : []
  })
  const key = topUps.length > before.topUps.length ? `reward-top-up:${id}:${topUps.at(-1)}` : `reward-funded:${id}`
  return lines.length ? [{ key, ref: { type: 'reward', id }, lines }] : []
}
