import { randomUUID } from 'node:crypto'
import { dayMs } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { newWallet } from '@carapace/testing'
import { applyStepOutcome, type StepOutcome } from '../job/apply-step-outcome.ts'
import { reserveFunds, sendAssign, sendCreate, sendDispute, sendFund, sendSettle, sendSubmit } from '../job/commands.ts'
import { type Job, newJob, type Step } from '../job/job.ts'
import type { Moment } from '../job/transition.ts'

/** Pure walks through the life of a job: what a test requests, and what the chain then confirms. */

export const start = new Date('2026-01-10T00:00:00.000Z')
export const posterId = '0190a5d0-0000-7000-8000-000000000001'
export const assigneeId = '0190a5d0-0000-7000-8000-000000000002'
export const wallets = { poster: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', assignee: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' }

export const momentAt = (now: Date): Moment => ({ now, posterScore: 20, assigneeScore: 30, applicantIds: [assigneeId] })
export const later = (ms: number): Date => new Date(start.getTime() + ms)

/** The contract of all of these jobs. */
export const place = { contract: newWallet(), evaluator: newWallet() }

let hashes = 0
/** Another transaction with each call. */
export const nextHash = (): string => `0x${(++hashes).toString(16).padStart(64, '0')}`

/** An outcome of the present round of a step. */
export function outcome(job: Job, step: Step, is: StepOutcome['is'], more: Partial<StepOutcome> = {}): StepOutcome {
  const { round = 1, seq = 0 } = job.on[step]?.onChain ?? {}
  return { is, round, seq: seq + 1, txHash: nextHash(), blockNumber: 7, ...(step === 'create' ? { onChainJobId: '1' } : {}), ...more }
}

export const followed = (job: Job, step: Step, is: StepOutcome['is'], now = start, more: Partial<StepOutcome> = {}): Decision<Job> =>
  applyStepOutcome(job, step, outcome(job, step, is, more), momentAt(now)) ?? { state: job, events: [] }

const confirmed = (decision: Decision<Job> | undefined, step: Step, now = start): Job => followed(decision!.state, step, 'confirmed', now).state

export const drafted = (more: Partial<Job> = {}): Job => ({
  ...newJob(
    randomUUID(),
    {
      ...{ title: 'Summarise', description: 'Two pages', budget: 20_000_000n, requiredSkills: [], deadlineHours: 48, chain: 'BASE_SEPOLIA' },
      ...{ posterId, posterWallet: wallets.poster, ...place },
    },
    start,
  ),
  ...more,
})
export const open = (): Job => confirmed(sendCreate(drafted()), 'create')
export const funding = (job = open()): Job =>
  sendFund(reserveFunds(job, { operationId: 'o1', kind: 'allowance', from: wallets.poster }).state, { kind: 'allowance' })!.state
export const funded = (): Job => followed(funding(), 'fund', 'confirmed').state
export const assigned = (): Job => confirmed(sendAssign(funded(), assigneeId, wallets.assignee), 'assign')
export const delivery = (at = start) => ({ url: 'https://example.org/r', note: null, hash: `0x${'ab'.repeat(32)}`, submissionId: randomUUID(), at })
export const submitted = (): Job => confirmed(sendSubmit(assigned(), delivery()), 'submit')
export const disputed = (): Job => confirmed(sendDispute(submitted(), { by: posterId, reason: 'half of it', at: start }, wallets.poster), 'dispute')
export const settled = (): Job =>
  confirmed(sendSettle(submitted(), { outcome: 'complete', trigger: 'settle', by: 'oracle', reason: '', at: start }), 'settle', later(dayMs))
