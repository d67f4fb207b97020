import { type commerceApi, jobCreated, refuse } from '@carapace/api'
import { isProven } from '@carapace/chain'
import { type Handlers, recordIdOf, reply, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { id as keccakOfText } from 'ethers'
import { newApplication } from '../application/application.store.ts'
import { needEligible, needTrusted } from '../application/eligibility.ts'
import { newestContract } from '../job/bound-contract.ts'
import { changeJob } from '../job/change-job.ts'
import { sendAssign, sendCreate, sendDispute, sendSettle, sendSubmit, sendWithdraw } from '../job/commands.ts'
import { fundingOutcome, startFunding } from '../job/fund-job.ts'
import { type Job, needAssignee, newJob, type Step } from '../job/job.ts'
import { facts } from '../job/transition.ts'
import { moneyView, viewOf } from '../job/views.ts'
import type { Parts } from '../parts.ts'
import { applicantView, needJob } from './reads.ts'

const statusUrl = (job: Job): string => `/api/erc8183/jobs/${job.id}`
const applyIn = ['open', 'funded']

export const jobHandlers = (parts: Parts) =>
  ({
    createJob: async ({ body, caller, operationId, waitMs }) => {
      const id = recordIdOf(operationId)
      const created = await parts.jobs.createOnce(id, async () => {
        const { budgetUsdc: budget, ...draft } = body
        const place = await newestContract(parts, draft.chain)
        const now = parts.clock.now()
        const { state, events } = sendCreate(newJob(id, { ...draft, ...place, budget, posterId: caller.agentId, posterWallet: caller.wallet }, now))
        const event = jobCreated.of({
          ...facts(state, now, null),
          requiredSkills: state.requiredSkills,
          submitDeadline: state.submitDeadline.toISOString(),
        })
        return { state, events: [event, ...events] }
      })
      const { job, isDone } = await ended(parts, created, 'create', waitMs())
      const answer = { job: await viewOf(parts, job) }
      return isDone ? answer : reply(202, { ...answer, statusUrl: statusUrl(job) })
    },

    fundJob: async ({ params, query, body, caller, context, operationId, waitMs }) => {
      const { id } = await needJob(parts, params.jobId, query)
      const request = { jobId: id, authorization: body.authorization, caller, isProven: isProven(context), operationId }
      const started = await startFunding(parts, request)
      const funded = await parts.wait('jobs', id, () => fundingOutcome(parts, id, operationId), waitMs())
      return answered(parts, funded ?? started, 'fund', funded !== undefined)
    },

    applyForJob: async ({ params, query, body, caller, operationId }) => {
      const id = recordIdOf(operationId)
      const job = await needJob(parts, params.jobId, query)
      const application = await parts.applications.createOnce(id, async () => {
        if (job.posterId === caller.agentId) refuse('SELF_ACTION')
        if (!applyIn.includes(job.status) || job.mirrored) refuse('INVALID_STATE', { state: job.status, allowed: applyIn })
        if (await parts.applications.of(job.id, caller.agentId)) refuse('ALREADY_APPLIED')
        needEligible(await parts.agents.fresh(caller.agentId))
        return newApplication(job, { id, agentId: caller.agentId, proposal: body.proposal }, parts.clock.now())
      })
      return { applicant: applicantView(application) }
    },

    acceptJobApplicant: async ({ params, query, body, caller, waitMs }) => {
      const job = await needJob(parts, params.jobId, query)
      needPoster(job, caller.agentId)
      const { agentId } = body
      if (!(await parts.applications.of(job.id, agentId))) refuse('NOT_FOUND', { resource: 'application' })
      const agent = await parts.agents.fresh(agentId)
      const { wallet } = agent
      if (!wallet) refuse('NOT_FOUND', { resource: 'agent' })
      const sent = await changeJob(parts, job.id, present => {
        // the same acceptance again: its first answer was lost
        if (present.acceptance?.agentId === agentId) return undefined
        needTrusted(agent)
        return sendAssign(present, agentId, wallet)
      })
      return stepAnswered(parts, sent, 'assign', waitMs())
    },

    submitJob: async ({ params, query, body, caller, operationId, waitMs }) => {
      const job = await needJob(parts, params.jobId, query)
      needAssignee(job, caller.agentId)
      const { deliverableUrl: url, deliverableNote: note = null } = body
      const delivery = { url, note, hash: keccakOfText(url), submissionId: recordIdOf(operationId), at: parts.clock.now() }
      const sent = await changeJob(parts, job.id, present =>
        present.delivery?.submissionId === delivery.submissionId ? undefined : sendSubmit(present, delivery),
      )
      const { job: last, isDone } = await ended(parts, sent, 'submit', waitMs())
      if (isDone && last.delivery?.hash !== delivery.hash) refuse('CONFLICT', {}, { message: 'The contract has another delivery already' })
      const answer = { job: await viewOf(parts, last), txHash: last.on.submit?.onChain.txHash ?? null }
      const more = { deliverableHash: delivery.hash, validationId: last.validationId }
      return isDone ? { ...answer, ...more } : reply(202, { ...answer, ...more, statusUrl: statusUrl(last) })
    },

    settleJob: async ({ params, query, body, operationId, waitMs }) => {
      const job = await needJob(parts, params.jobId, query)
      const { outcome, reason = '' } = body
      const decision =
        outcome === 'settle' ? ({ outcome: 'complete', trigger: 'settle' } as const) : ({ outcome: 'reject', trigger: 'reject' } as const)
      const sent = await changeJob(parts, job.id, present => {
        if (present.settlement?.operationId === operationId) return undefined
        if (present.mirrored && !present.counts)
          refuse('INVALID_STATE', { state: present.status }, { message: 'The platform is not the evaluator of this job' })
        return sendSettle(present, { ...decision, by: 'oracle', reason, at: parts.clock.now(), operationId })
      })
      const { job: last, isDone } = await ended(parts, sent, 'settle', waitMs())
      const answer = { job: await viewOf(parts, last), txHash: last.on.settle?.onChain.txHash ?? null, ...moneyView(last) }
      return isDone ? answer : reply(202, { ...answer, statusUrl: statusUrl(last) })
    },

    cancelJob: async ({ params, query, caller, operationId, waitMs }) => {
      const job = await needJob(parts, params.jobId, query)
      needPoster(job, caller.agentId)
      const sent = await changeJob(parts, job.id, present =>
        present.settlement?.operationId === operationId ? undefined : sendWithdraw(present, { at: parts.clock.now(), operationId }),
      )
      return stepAnswered(parts, sent, 'settle', waitMs())
    },

    disputeJob: async ({ params, query, body, caller, operationId, waitMs }) => {
      const job = await needJob(parts, params.jobId, query)
      if (job.posterId !== caller.agentId && job.assigneeId !== caller.agentId) refuse('NOT_PARTY')
      const sent = await changeJob(parts, job.id, present => {
        if (isDisputedBy(present, operationId)) return undefined
        const wallet = present.posterId === caller.agentId ? present.posterWallet : present.assigneeWallet
        return sendDispute(present, { by: caller.agentId, reason: body.reason, at: parts.clock.now(), operationId }, wallet)
      })
      return stepAnswered(parts, sent, 'dispute', waitMs())
    },
  }) satisfies Handlers<typeof commerceApi>

function needPoster(job: Job, agentId: string): void {
  if (job.posterId !== agentId) refuse('NOT_POSTER')
}

/** Also where the chain refused the dispute: that is the answer again. */
const isDisputedBy = ({ dispute, on }: Job, operationId: string): boolean =>
  [dispute, on.dispute?.requested?.dispute].some(requested => requested?.operationId === operationId)

/** Waits until a step that is under way has ended. @throws CONFLICT when it failed; a step that is due from the platform is sent again instead */
async function ended(parts: Parts, job: Stored<Job>, step: Step, waitMs: number): Promise<{ job: Stored<Job>; isDone: boolean }> {
  const round = job.on[step]?.onChain.round ?? 0
  const probe = async () => {
    const present = await unlessPassing(parts.jobs.need(job.id))
    const state = present?.on[step]
    if (!state || state.onChain.round < round) return undefined
    if (state.onChain.status === 'failed' && state.retryAt === null)
      refuse('CONFLICT', { reason: state.onChain.error }, { message: 'The step failed on chain; nothing has changed' })
    return state.applied ? present : undefined
  }
  const last = await parts.wait('jobs', job.id, probe, waitMs)
  return { job: last ?? (await unlessPassing(parts.jobs.need(job.id))) ?? job, isDone: last !== undefined }
}

async function stepAnswered(parts: Parts, sent: Stored<Job>, step: Step, waitMs: number) {
  const { job, isDone } = await ended(parts, sent, step, waitMs)
  return answered(parts, job, step, isDone)
}

async function answered(parts: Parts, job: Stored<Job>, step: Step, isDone: boolean) {
  const answer = { job: await viewOf(parts, job), txHash: job.on[step]?.onChain.txHash ?? null }
  return isDone ? answer : reply(202, { ...answer, statusUrl: statusUrl(job) })
}
