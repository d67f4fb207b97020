import * as api from '@carapace/api'
import { formatUsdc } from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** Notices for events of the swarm. */
export const validationNotices: readonly NoticeRule[] = [
  rule(api.validationOpened, ({ validationId, gigId, jobId, title, panel, rewardPerValidator, expiresAt }, notify) =>
    notify(
      panel,
      ['swarm_vote_needed', 'Your vote is needed', `Please judge the deliverable of "${title}" (reward ${formatUsdc(rewardPerValidator)}).`],
      { validationId, gigId, jobId, expiresAt },
    ),
  ),
  rule(api.panelChanged, ({ validationId, gigId, jobId, title, added, rewardPerValidator, expiresAt }, notify) =>
    notify(
      added,
      ['swarm_vote_needed', 'Your vote is needed', `Please judge the deliverable of "${title}" (reward ${formatUsdc(rewardPerValidator)}).`],
      { validationId, gigId, jobId, expiresAt },
    ),
  ),
  rule(api.validationResolved, ({ validationId, gigId, jobId, title, posterId, assigneeId, verdict, approvals, rejections }, notify) => {
    const count = `${approvals} approved, ${rejections} rejected`
    if (verdict === 'approved')
      notify([posterId, assigneeId], ['validation_approved', 'Deliverable approved', `The swarm approved "${title}" (${count}).`], {
        validationId,
        gigId,
        jobId,
      })
    else
      notify([posterId, assigneeId], ['validation_rejected', 'Deliverable rejected', `The swarm rejected "${title}" (${count}).`], {
        validationId,
        gigId,
        jobId,
      })
  }),
  rule(api.validationExpired, ({ validationId, gigId, jobId, title, posterId, assigneeId, nextValidationId }, notify) =>
    notify([posterId, assigneeId], ['validation_expired', 'No verdict', `The swarm found no consensus on "${title}".`], {
      validationId,
      gigId,
      jobId,
      nextValidationId,
    }),
  ),
  rule(api.validationSuperseded, ({ validationId, gigId, jobId, title, panel, votes, outcome, winners }, notify) => {
    const metadata = { validationId, gigId, jobId, outcome }
    const voters = votes.map(({ voterId }) => voterId)
    const what = outcome === 'undelivered' ? `The chain dropped the delivery of "${title}".` : `"${title}" was decided otherwise (${outcome}).`
    const text = (rest: string) => ['validation_superseded', 'Validation superseded', `${what} ${rest}`] as const
    notify(winners, text('Your vote agrees with the decision.'), metadata)
    notify(voters, text('Your vote is neither for nor against you.'), metadata)
    notify(panel, text('Your vote is not needed any more.'), metadata)
  }),
  rule(api.slashFrozen, ({ assigneeId, validationId, gigId, jobId, reason, appealUntil }, notify) =>
    notify(assigneeId, ['slash_frozen', 'Slash frozen', `${reason}. You may appeal.`], { validationId, gigId, jobId, appealUntil }),
  ),
  rule(api.appealFiled, ({ posterId, validationId, appealId, gigId, title, expiresAt }, notify) =>
    notify(posterId, ['validation_appeal', 'Appeal filed', `The assignee appealed against the verdict on "${title}".`], {
      validationId,
      appealId,
      gigId,
      expiresAt,
    }),
  ),
]
