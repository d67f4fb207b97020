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
  if (wasHeld === isHeld(after)) return []
  const { id, budget, chain } = after
  const own = account.job(id)
  const at = { chain, ref: { type: 'job', id } }
  if (isHeld(after)) {
    if (before?.settlement?.settledAt) return [reversed(before)]
    return [{ key: `fund:${id}:${after.fundingRounds}`, ...at, lines: transfer(source(after), own, budget) }]
  }
  if (after.settlement?.settledAt) return [paidOutEntry(after)]
  return [{ key: `fund-failed:${id}:${after.fundingRounds}`, ...at, lines: transfer(own, source(before!), budget) }]
}

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

/** The fee goes to the escrow's pool, which books its side at `commerce.job.settled`. */
function paidOut(job: Job) {
  const { id, budget, assigneeWallet, settlement } = job
  const own = account.job(id)
  if (settlement!.outcome !== 'complete') return transfer(own, payer(job), budget)
  const paid = fee(job)
  return [
    ...(paid > 0n ? transfer(own, account.clearing(`job.settle:${id}`), paid) : []),
    ...transfer(own, account.outside(assigneeWallet!), budget - paid),
  ]
}

/** The chain reversed the settlement: the job has its money again. */
function reversed(before: Job): LedgerEntry {
  const lines = paidOut(before).map(({ account: name, debit, credit }) => ({ account: name, debit: credit, credit: debit }))
  return { key: `${settleKey(before)}:reversed`, chain: before.chain, ref: { type: 'job', id: before.id }, lines }
}
