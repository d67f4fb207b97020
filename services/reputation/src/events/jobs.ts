import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { failureFact } from '../facts.ts'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'
import { judgeJobVotes } from './judge-votes.ts'
import { corrected, endDispute, settled } from './settled.ts'

/** A job counts as a gig does, under its own id (behaviour 17). */
export function jobEvents(parts: Parts): Subscription[] {
  return [
    on(api.jobSettled, async (payload, event) => {
      const { jobId, at, ...job } = payload
      await Promise.all([
        settled(parts, { ...job, gigId: jobId, settledAt: at, txHash: job.txHash! }, event, `/api/commerce/jobs/${jobId}/receipt`),
        judge(parts, payload, event, 'approved'),
      ])
    }),
    on(api.jobRejected, async (payload, event) => {
      await Promise.all([rejected(parts, payload, event), judge(parts, payload, event, 'rejected')])
    }),
    on(api.jobCancelled, async ({ posterId, assigneeId, jobId, budget, reason, at, txHash }, event) => {
      if (assigneeId !== null && reason === 'deadline_missed')
        await record(parts, event, assigneeId, failureFact(reason, { posterId, gigId: jobId, budget }), { at, txHash })
    }),
    on(api.jobDisputed, async ({ posterId, assigneeId, jobId, disputedBy, at }, event) => {
      if (disputedBy === null) return
      for (const agentId of [posterId, assigneeId]) await record(parts, event, agentId, { type: 'dispute_opened', gigId: jobId }, { at, key: jobId })
    }),
    on(api.jobCorrected, ({ jobId, txHash, at, ...job }, event) => corrected(parts, { ...job, gigId: jobId }, event, { txHash, at })),
  ]
}

type Rejected = api.PayloadOf<typeof api.jobRejected>

async function rejected(parts: Parts, job: Rejected, event: api.CloudEvent): Promise<void> {
  const { posterId, assigneeId, jobId, budget, creditable, afterDispute, at, txHash } = job
  const reason = afterDispute ? ('dispute_lost' as const) : ('rejected' as const)
  if (creditable) await record(parts, event, assigneeId, failureFact(reason, { posterId, gigId: jobId, budget }), { at, txHash })
  if (afterDispute) await endDispute(parts, event, { gigId: jobId, posterId, assigneeId, posterLost: false, assigneeLost: creditable })
}

/** The votes on it, unless time alone has ended it. */
async function judge(
  parts: Parts,
  { jobId, validationId, creditable, at }: Pick<Rejected, 'jobId' | 'validationId' | 'creditable' | 'at'>,
  event: api.CloudEvent,
  verdict: 'approved' | 'rejected',
): Promise<void> {
  if (creditable && validationId !== null) await judgeJobVotes(parts, event, { jobId, validationId, verdict, at })
}
