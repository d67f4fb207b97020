import { account, type Posting, transfer } from '../ledger.ts'
import type { JobFee } from './job-fee.ts'
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

/** What a change of a job's fee means for the ledger. The first payment is the pool's; what was reversed later may be spent, so it is a loss until it is paid again. */
export function jobFeePostings(before: JobFee, { id, amount, txHash, isPaid, correctedBy }: JobFee): Posting[] {
  if (before.isPaid === isPaid || amount === 0n) return []
  const [own, ref] = [account.clearing(`job.settle:${id}`), { type: 'job', id }]
  if (correctedBy === null) return [{ key: `job-fee:${id}`, ref, txHash, lines: transfer(own, account.feePool, amount) }]
  const [from, to] = isPaid ? [own, account.poolLoss] : [account.poolLoss, own]
  return [{ key: `job-fee:${id}:${correctedBy}`, ref, lines: transfer(from, to, amount) }]
}
