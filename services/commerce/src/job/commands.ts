import { type Draft, refuse } from '@carapace/api'
import { commands, type FundingSource, sentOnChain } from '@carapace/chain'
import { id as keccakOfText, ZeroHash } from 'ethers'
import type { ChainStep, Delivery, Funding, Job, Settlement, Step } from './job.ts'
import { keyOf, needIdle } from './job.ts'
import { jobStates } from './job-states.ts'
import type { Result } from './transition.ts'

const descriptionLength = 500
const deadlineMs = 15 * 60_000

/** A reservation is never spent after it (wall clock, judged by the relayer). */
const spendBefore = (): Date => new Date(Date.now() + deadlineMs)

/** The step with its next round under way. Numbers of earlier outcomes stay: the relayer counts on over the rounds of a key. */
function sent(job: Job, step: Step): ChainStep {
  const { round = 0, seq = 0 } = job.on[step]?.onChain ?? {}
  return { onChain: { ...sentOnChain, round: round + 1, seq }, applied: false, retryAt: null }
}
const under = (job: Job, step: Step): Job => ({ ...job, on: { ...job.on, [step]: sent(job, step) } })
const roundOf = (job: Job, step: Step): number => job.on[step]!.onChain.round

/** @throws INVALID_STATE, retryable, before the creation is confirmed, and while a reorganisation may give it another number or has removed it */
export function needOnChain(job: Job): void {
  const creation = job.on.create?.onChain.status
  if (job.onChainJobId !== null && creation !== 'pending' && creation !== 'failed') return
  refuse('INVALID_STATE', { state: job.status, pending: 'create' }, { retryable: true, message: 'The job is not on chain yet' })
}
function place(job: Job) {
  needOnChain(job)
  return { ...recordOf(job), jobKey: keyOf(job) }
}
const recordOf = ({ id, chain, contract, evaluator }: Job) => ({ jobId: id, chain, contract, evaluator })

/** Creates the job on chain, also again after a failure. */
export function sendCreate(job: Job): Result {
  const state = under(job, 'create')
  const { posterWallet: client, budget, title, description, expiredAt } = job
  const text = [...`${title}\n\n${description}`].slice(0, descriptionLength / 2).join('')
  const command = commands.jobCreate({
    ...recordOf(job),
    ...{ client, budget, description: text, round: roundOf(state, 'create') },
    expiredAt: Math.floor(expiredAt.getTime() / 1000),
  })
  return { state, events: [command] }
}

export type Reservation = Pick<Funding, 'operationId' | 'kind' | 'from'>

/** Step 1 of the funding: the record, whose ledger lines are part of the same transaction. */
export function reserveFunds(job: Job, reservation: Reservation): Result {
  needIdle(job)
  jobStates.move(job.status, 'fund')
  needOnChain(job)
  const round = job.fundingRounds + 1
  return { state: { ...job, fundingRounds: round, fundingFailure: null, funding: { ...reservation, round, stage: 'reserving' } }, events: [] }
}

/** Step 2, once the source is reserved. */
export function sendFund(job: Job, source: FundingSource): Result | undefined {
  const { funding, budget: amount, posterWallet: client } = job
  if (funding?.stage !== 'reserving') return undefined
  const state = under({ ...job, funding: { ...funding, stage: 'sent' } }, 'fund')
  // the treasury reserves for a round: both count alike
  const round = funding.round
  const sentFund = state.on.fund!
  const fund: ChainStep = { ...sentFund, onChain: { ...sentFund.onChain, round } }
  const command = commands.jobFund({ ...place(job), client, amount, source, round, deadline: spendBefore() })
  return { state: { ...state, on: { ...state.on, fund } }, events: [command] }
}

/** The treasury refuses before there is a command. */
export function fundsRefused(job: Job, round: number): Result | undefined {
  const { funding } = job
  if (funding?.stage !== 'reserving' || funding.round !== round) return undefined
  const fundingFailure = { operationId: funding.operationId, code: 'FUNDS_REQUIRED', message: 'The custodial wallet does not cover it' }
  return { state: { ...job, funding: null, fundingFailure }, events: [] }
}

export function sendAssign(job: Job, agentId: string, wallet: string): Result {
  needIdle(job)
  jobStates.move(job.status, 'assign')
  const state = under({ ...job, acceptance: { agentId, wallet } }, 'assign')
  return { state, events: [commands.jobAssign({ ...place(job), provider: wallet, round: roundOf(state, 'assign') })] }
}

export function sendSubmit(job: Job, delivery: Delivery): Result {
  needIdle(job)
  jobStates.move(job.status, 'submit')
  if (delivery.at > job.submitDeadline) refuse('WINDOW_CLOSED', { submitDeadline: job.submitDeadline.toISOString() })
  const state = under({ ...job, delivery }, 'submit')
  return { state, events: [commands.jobSubmit({ ...place(job), deliverableHash: delivery.hash, round: roundOf(state, 'submit') })] }
}

/** @param disputer wallet of the party; null when the platform itself flags the job */
export function sendDispute(job: Job, dispute: NonNullable<Job['dispute']>, disputer: string | null): Result {
  needIdle(job)
  jobStates.move(job.status, 'dispute')
  const state = under({ ...job, dispute }, 'dispute')
  return { state, events: [commands.jobDispute({ ...place(job), disputer, round: roundOf(state, 'dispute') })] }
}

/** Ends the job on chain, once decided. */
export function sendSettle(job: Job, decision: Omit<Settlement, 'from' | 'submissionId' | 'settledAt' | 'isReported'>): Result {
  needIdle(job)
  jobStates.move(job.status, decision.trigger)
  // what is not delivered cannot be judged; the contract itself would let an evaluator do so
  if (decision.by === 'oracle') jobStates.move(job.status, 'settle')
  const place = { from: job.status, submissionId: job.delivery?.submissionId ?? null }
  return resendSettle({ ...job, settlement: { ...decision, ...place, settledAt: null, isReported: job.settlement?.isReported ?? false } })
}

/** The poster's own end of a job. The contract would return the money of a funded one as well: that is not the poster's to decide any more. */
export function sendWithdraw(job: Job, request: Pick<Settlement, 'at' | 'operationId'>): Result {
  needIdle(job)
  if (job.status !== 'open') refuse('INVALID_STATE', { state: job.status, allowed: ['open'] })
  return sendSettle(job, { outcome: 'withdraw', trigger: 'withdraw', by: 'party', reason: '', ...request })
}

/** The same decision as its next round. */
export function resendSettle(job: Job): Result {
  const { outcome, trigger, reason } = job.settlement!
  if (outcome === 'claim') return { state: job, events: [] }
  const state = under(job, 'settle')
  const why = trigger === 'expire' ? keccakOfText('EXPIRED') : reason === '' ? ZeroHash : keccakOfText(reason)
  const command: Draft = commands.jobSettle({ ...place(job), outcome, reason: why, round: roundOf(state, 'settle') })
  return { state, events: [command] }
}
