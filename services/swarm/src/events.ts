import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from './parts.ts'
import { closeClaim } from './reward/claim.ts'
import { followFunding } from './reward/funding.ts'
import { decisions } from './validation/decided.ts'
import { openForSubmission } from './validation/open.ts'
import { chainOutcomes } from './validation/outcomes.ts'

export const events = (parts: Parts): Subscription[] => [
  on(api.gigSubmitted, async payload => {
    // decided before its submission came here: there is nothing to judge
    if (!(await parts.decided.get(payload.gigId))) await openForSubmission(parts, { ...payload, title: payload.gigTitle })
  }),
  on(api.jobSubmitted, async ({ requiredSkills: skillsRequired, ...job }) => {
    if (!(await parts.decided.get(job.jobId))) await openForSubmission(parts, { ...job, gigId: null, memberIds: [], skillsRequired })
  }),
  ...decisions(parts),
  on(api.rewardFunded, async ({ validationId, rewards }) => {
    if (!(await followFunding(parts, validationId, rewards))) throw new Retry('the reward is not accrued yet')
  }),
  on(api.rewardPaid, (paid, { aggregateversion: version }) => closeClaim(parts, { is: 'paid', ...paid, rewards: paid.rewards, version })),
  on(api.rewardFailed, (failed, { aggregateversion: version }) => closeClaim(parts, { is: 'failed', ...failed, version })),
  ...chainOutcomes(parts),
]
