import type { ChainLog, FollowedOutcome } from '@carapace/api'
import { operationParts } from '@carapace/chain'
import { followedBy, onOutcomes, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { applyStepOutcome, type StepOutcome } from './apply-step-outcome.ts'
import { changeJob, momentOf } from './change-job.ts'
import { depositNow, numberNow } from './contract-job.ts'
import type { Job, Step } from './job.ts'
import { deliverableHashOf } from './observed.ts'
import { renewTerms } from './terms.ts'
import type { Payment } from './with-payment.ts'

/** What the relayer reports of the commands of jobs. */
export function jobOutcomes(parts: Parts): Subscription[] {
  const each = (step: Step) => followedBy(outcome => follow(parts, step, outcome))
  return onOutcomes({
    'job.create': each('create'),
    'job.fund': each('fund'),
    'job.assign': each('assign'),
    'job.submit': each('submit'),
    'job.settle': each('settle'),
    'job.dispute': each('dispute'),
  })
}

async function follow(parts: Parts, step: Step, outcome: FollowedOutcome): Promise<void> {
  const [, jobId] = operationParts(outcome.opKey)
  const job = await parts.jobs.get(jobId)
  // one that is unknown is not an error: the database may have been set back
  if (!job) return
  const { is, round, seq } = outcome
  const numbered = step === 'create' && is === 'confirmed' ? { onChainJobId: await numberOf(parts, job, outcome.logs) } : {}
  const payment = step === 'fund' && is === 'confirmed' ? await paymentOf(parts, job, outcome) : undefined
  const delivered = step === 'submit' && is === 'confirmed' ? deliveredIn(outcome.logs) : {}
  const details = { ...detailsOf(outcome), ...numbered, ...delivered, ...(payment ? { payment } : {}) }
  const moment = await momentOf(parts, job)
  await changeJob(parts, jobId, present => applyStepOutcome(present, step, { is, round, seq, ...details }, moment))
  if (step === 'fund' && is === 'failed') await renewTerms(parts, jobId)
}

type Confirmed = FollowedOutcome & { is: 'confirmed' }
/** Who has paid how much, where that may be another round than the one that is booked, or the client itself; else undefined. */
async function paymentOf(parts: Parts, job: Job, { round, already, logs }: Confirmed): Promise<Payment | undefined> {
  if (!already && job.funding?.round === round) return undefined
  const deposit = await depositNow(parts, job)
  if (deposit) return deposit
  const paid = logs.find(({ contract, event, args }) => contract === 'Commerce' && event === 'JobFunded' && 'funder' in args)
  return paid && { payer: String(paid.args.funder), amount: job.budget }
}

function deliveredIn(logs: readonly ChainLog[]): Pick<StepOutcome, 'deliverableHash'> {
  const submission = logs.find(({ contract, event }) => contract === 'Commerce' && event === 'JobSubmitted')
  return submission ? { deliverableHash: deliverableHashOf(submission) } : {}
}

function detailsOf(outcome: FollowedOutcome): Partial<StepOutcome> {
  if (outcome.is === 'failed') return { code: outcome.code, message: outcome.message, terminal: outcome.terminal }
  if (outcome.is === 'confirmed') return { txHash: outcome.txHash, blockNumber: outcome.blockNumber, already: outcome.already }
  return { txHash: outcome.txHash }
}

/** The number that the contract gave the job: from the log of its creation, or by its salt when our command found it created. */
async function numberOf(parts: Parts, job: Job, logs: readonly ChainLog[]): Promise<string> {
  const created = logs.find(({ contract, event, args }) => contract === 'Commerce' && event === 'JobCreated' && 'budget' in args)
  if (created) return String(BigInt(String(created.args.jobId)))
  return numberNow(parts, job)
}
