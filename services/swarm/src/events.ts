import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from './parts.ts'
import { closeClaim } from './reward/claim.ts'
import { followFunding } from './reward/funding.ts'
import { decisions } from './validation/decided.ts'
import { openSubmitted } from './validation/open.ts'
import { chainOutcomes } from './validation/outcomes.ts'

export const events = (parts: Parts): Subscription[] => [
  on(api.gigSubmitted, payload => openSubmitted(parts, { ...payload, title: payload.gigTitle })),
  on(api.jobSubmitted, ({ requiredSkills: skillsRequired, ...job }, { aggregateversion: jobVersion }) =>
    openSubmitted(parts, { ...job, gigId: null, memberIds: [], skillsRequired, jobVersion }),
  ),
  ...decisions(parts),
  on(api.rewardFunded, async ({ validationId, rewards }) => {
    if (!(await followFunding(parts, validationId, rewards))) throw new Retry('the reward is not accrued yet')
  }),
  on(api.rewardPaid, (paid, { aggregateversion: version }) => closeClaim(parts, { is: 'paid', ...paid, rewards: paid.rewards, version })),
  on(api.rewardFailed, (failed, { aggregateversion: version }) => closeClaim(parts, { is: 'failed', ...failed, version })),
  ...chainOutcomes(parts),
]
