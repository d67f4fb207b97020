import type { ContractJob } from './contract-job.ts'
import { type ChainStep, isCreationLost, type Job, type Step } from './job.ts'
import { madeBy, type Observed, rank, termsIn } from './observed.ts'
import { asLost, type Result, revertLost } from './transition.ts'
import { withPayment } from './with-payment.ts'

/** A creation that a reorganisation had removed, and that is in a block again: the contract shows the job. */
export function shownAgain(job: Job, seen: Observed, now: Date): Job {
  return isCreationLost(job) ? { ...job, on: { ...job.on, create: madeBy(job.on.create, seen, now) } } : job
}

/** An end that the contract shows otherwise: a reorganisation has put another transaction into the place of the one that was reported. */
export function withoutReplacedEnd(job: Job, { step, contract }: Observed, now: Date): Job {
  const { settlement } = job
  const isContradicted = settlement?.settledAt && step === 'settle' && ends.has(contract.status) && shownBy[settlement.outcome] !== contract.status
  if (!isContradicted || !job.on.settle?.applied) return job
  // what it means for those who were notified is published with the step that replaced it
  const { settle } = job.on
  const replaced: ChainStep = { ...settle, onChain: { ...settle.onChain, status: 'failed' }, retryAt: null }
  return revertLost({ ...job, on: { ...job.on, settle: replaced } }, now).state
}

const ends: ReadonlySet<ContractJob['status']> = new Set(['Completed', 'Rejected', 'Expired'])
/** What the contract shows after each end. */
export const shownBy = { complete: 'Completed', reject: 'Rejected', withdraw: 'Rejected', claim: 'Expired' } as const

/** A payment that a reorganisation has put into the place of the one that was reported, also where other steps were built on that one. */
export function withReplacedPayment(job: Job, seen: Observed, now: Date): Job {
  const { step, contract, txHash } = seen
  const isHeld = rank[job.status] >= rank.funded && rank[job.status] < rank.settled
  if (step !== 'fund' || !isHeld || contract.deposit === null) return job
  const paid = withPayment(job, contract.deposit, txHash)
  if (paid === job) return job
  const terms = termsIn(paid, seen)
  // who the parties are is certain from the assignment on: what did not count then does not begin to
  const { counts, posterId } = job.status === 'funded' ? terms : { counts: job.counts && terms.counts, posterId: job.posterId }
  return { ...paid, counts, posterId, on: { ...paid.on, fund: madeBy(job.on.fund, seen, now) } }
}

/** Of a delivery whose own log is still to come. */
export const unknownHash = `0x${'0'.repeat(64)}`

/**
 * A delivery in the place of the one that was reported: the provider made another one on the contract itself, or a reorganisation has exchanged them. The
 * contract commits to what its log names, so that the reported one, its panel and a dispute about it are reversed.
 */
export function withoutReplacedDelivery(job: Job, { step, contract, deliverableHash: hash }: Observed, now: Date): Result {
  const { delivery, status } = job
  const isReplaced = step === 'submit' && hash !== null && delivery !== null && delivery.hash !== hash
  if (!isReplaced || (status !== 'submitted' && status !== 'disputed')) return { state: job, events: [] }
  if (delivery.hash === unknownHash) return { state: { ...job, delivery: { ...delivery, hash } }, events: [] }
  const { state, events } = revertLost({ ...job, on: { ...job.on, ...asLost(job, ['submit', 'dispute'], 'Another delivery is in its place') } }, now)
  return { state: { ...state, dispute: contract.isDisputed ? job.dispute : null }, events }
}

/** A dispute that was reversed with the delivery that was replaced, while the contract has it: it is about the one that is there. */
export const disputedAgain = (reported: Job, before: Job, { contract }: Observed): Step[] =>
  reported.status === 'disputed' && before.status === 'assigned' && contract.isDisputed ? ['dispute'] : []
