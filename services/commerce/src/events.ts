import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { changeJob, momentOf } from './job/change-job.ts'
import { mirrorEvents } from './job/mirror-events.ts'
import { jobOutcomes } from './job/outcomes.ts'
import { onTime } from './job/timers.ts'
import { linkValidation, recordVerdict } from './job/verdict.ts'
import type { Parts } from './parts.ts'
import { followPayment } from './receipt/issue-receipt.ts'

export const events = (parts: Parts): Subscription[] => [
  ...jobOutcomes(parts),
  ...mirrorEvents(parts),
  on(api.validationOpened, async ({ jobId, submissionId, validationId }) => {
    if (jobId !== null) await changeJob(parts, jobId, job => linkValidation(job, submissionId, validationId))
  }),
  on(api.validationResolved, async ({ jobId, submissionId, validationId, verdict: result, weak, frozen, resolvedAt, settleAfter }) => {
    if (jobId === null) return
    const times = { at: new Date(resolvedAt), settleAfter: settleAfter === null ? null : new Date(settleAfter) }
    const job = await changeJob(parts, jobId, present => recordVerdict(present, submissionId, { result, validationId, weak, frozen, ...times }))
    const moment = await momentOf(parts, job)
    await changeJob(parts, jobId, present => onTime(present, moment))
  }),
  on(api.validationExpired, async ({ jobId, submissionId, validationId, weak, expiredAt }) => {
    const verdict = { result: 'expired' as const, validationId, weak, frozen: false, at: new Date(expiredAt), settleAfter: null }
    if (jobId !== null) await changeJob(parts, jobId, job => recordVerdict(job, submissionId, verdict))
  }),
  on(api.jobSettled, ({ jobId }) => followPayment(parts, jobId)),
  on(api.jobCorrected, ({ jobId }) => followPayment(parts, jobId)),
]
