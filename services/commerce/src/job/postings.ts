import { type LedgerEntry, transfer } from '@carapace/store'
import { account } from '../ledger.ts'
import type { Job } from './job.ts'
import { fee } from './transition.ts'

/** The contract has the budget, or a command is under way that pays it. */
const isHeld = ({ funding, status }: Job): boolean => funding !== null && status !== 'settled' && status !== 'rejected' && status !== 'cancelled'

const source = ({ id, funding }: Job): string => (funding!.kind === 'treasury' ? account.clearing(`job.fund:${id}`) : account.outside(funding!.from))

/** What a change of a job means for the ledger: a pure function of the two states, so that no transition can omit it. */
export function postings(before: Job | undefined, after: Job): LedgerEntry[] {
  const wasHeld = before !== undefined && isHeld(before)
  if (!wasHeld && isReplaced(before, after)) return [reversed(before), paidOutEntry(after)]
  // somebody else has paid what a command of ours was to pay
  if (wasHeld && isHeld(after) && before.funding!.round !== after.funding!.round) return [unfunded(before), fundedEntry(after)]
  if (wasHeld === isHeld(after)) return []
  if (isHeld(after)) return [before?.settlement?.settledAt ? reversed(before) : fundedEntry(after)]
  return [after.funding && after.settlement?.settledAt ? paidOutEntry(after) : unfunded(before!)]
}

const fundedEntry = (job: Job): LedgerEntry => ({
  key: `fund:${job.id}:${job.fundingRounds}`,
  ...placeOf(job),
  lines: transfer(source(job), account.job(job.id), job.budget),
})

const unfunded = (before: Job): LedgerEntry => ({
  key: `fund-failed:${before.id}:${before.fundingRounds}`,
  ...placeOf(before),
  lines: transfer(account.job(before.id), source(before), before.budget),
})

const placeOf = ({ id, chain }: Job) => ({ chain, ref: { type: 'job', id } })

/** One for each end that a reorganisation may have made necessary. */
const settleKey = ({ id, ends }: Job): string => `settle:${id}:${ends ?? 0}`

/** Another transaction has ended the job than the one that was booked. */
const isReplaced = (before: Job | undefined, after: Job): before is Job =>
  before !== undefined && before.funding !== null && Boolean(before.settlement?.settledAt) && before.ends !== after.ends

const paidOutEntry = (job: Job): LedgerEntry => {
  const { id, chain } = job
  return { key: settleKey(job), chain, ref: { type: 'job', id }, lines: paidOut(job), txHash: job.on.settle?.onChain.txHash ?? null }
}

/** Where a refund goes. The account names the job by its id: a reorganisation may change the number. */
const payer = ({ id, funding }: Job): string => (funding!.kind === 'treasury' ? account.clearing(`job.settle:${id}`) : account.outside(funding!.from))

/**
 * The fee goes to the escrow's pool, which books its side at `commerce.job.settled`. A job that counts for nobody publishes no event: the pool has its fee,
 * and it is due to nobody.
 */
function paidOut(job: Job) {
  const { id, budget, assigneeWallet, settlement, counts } = job
  const own = account.job(id)
  if (settlement!.outcome !== 'complete') return transfer(own, payer(job), budget)
  const paid = fee(job)
  const pool = counts ? account.clearing(`job.settle:${id}`) : account.unbookedFees
  return [...(paid > 0n ? transfer(own, pool, paid) : []), ...transfer(own, account.outside(assigneeWallet!), budget - paid)]
}

/** The chain reversed the settlement: the job has its money again. */
function reversed(before: Job): LedgerEntry {
  const lines = paidOut(before).map(({ account: name, debit, credit }) => ({ account: name, debit: credit, credit: debit }))
  return { key: `${settleKey(before)}:reversed`, chain: before.chain, ref: { type: 'job', id: before.id }, lines }
}
