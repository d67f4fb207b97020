import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { on, type Subscription } from '@carapace/service'
import { closeClaim } from './claim.ts'
import { decisions } from './decided.ts'
import { openForSubmission } from './open.ts'
import { chainOutcomes } from './outcomes.ts'
import type { Parts } from './parts.ts'
import { fund, rewardId } from './reward.ts'

export const events = (parts: Parts): Subscription[] => [
  ...parts.agents.subscriptions,
  ...parts.facts.subscriptions,
  on(api.gigSubmitted, async payload => {
    // decided before its submission came here: there is nothing to judge
    if (!(await parts.decided.get(payload.gigId))) await openForSubmission(parts, { ...payload, title: payload.gigTitle })
  }),
  ...decisions(parts),
  on(api.rewardFunded, async ({ validationId, rewards }) => {
    for (const { validatorId, funded } of rewards) {
      const id = rewardId(validationId, validatorId)
      if (!(await parts.rewards.rows.get(id))) throw new Retry('the reward is not accrued yet')
      await parts.rewards.rows.change(id, reward => fund(reward, funded, parts.clock.now()))
    }
  }),
  on(api.rewardPaid, paid => closeClaim(parts, paid, 'paid', paid.txHash)),
  on(api.rewardFailed, failed => closeClaim(parts, failed, 'failed', null)),
  ...chainOutcomes(parts),
]
