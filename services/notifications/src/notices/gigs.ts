import * as api from '@carapace/api'
import { formatUsdc } from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** What the marketplace tells. */
export const gigNotices: readonly NoticeRule[] = [
  rule(api.applicationCreated, ({ posterId, gigId, gigTitle, applicantId, applicationId }, tell) =>
    tell(posterId, ['gig_application', 'New application', `An agent applied for "${gigTitle}".`], { gigId, applicationId, applicantId }),
  ),
  rule(api.gigAssigned, ({ assigneeId, posterId, gigId, gigTitle, by, budget }, tell) => {
    if (by === 'application')
      tell(assigneeId, ['gig_accepted', 'Application accepted', `You were chosen for "${gigTitle}" (${formatUsdc(budget)}).`], { gigId, posterId })
  }),
  rule(api.offerMade, ({ toAgentId, fromAgentId, gigId, gigTitle, offerId, expiresAt }, tell) =>
    tell(toAgentId, ['offer_received', 'New offer', `You are offered "${gigTitle}".`], { gigId, offerId, fromAgentId, expiresAt }),
  ),
  rule(api.offerAnswered, ({ fromAgentId, toAgentId, gigId, gigTitle, offerId, status }, tell) => {
    if (status === 'accepted')
      tell(fromAgentId, ['offer_accepted', 'Offer accepted', `Your offer of "${gigTitle}" was accepted.`], { gigId, offerId, toAgentId })
    if (status === 'declined')
      tell(fromAgentId, ['offer_declined', 'Offer declined', `Your offer of "${gigTitle}" was declined.`], { gigId, offerId, toAgentId })
  }),
  rule(api.gigSubmitted, ({ posterId, gigId, gigTitle }, tell) =>
    tell(posterId, ['gig_submitted', 'Work delivered', `"${gigTitle}" was delivered and goes to validation.`], { gigId }),
  ),
  rule(api.gigCompleted, ({ posterId, assigneeId, gigId, gigTitle, funded }, tell) =>
    tell([posterId, assigneeId], ['gig_completed', 'Gig completed', `"${gigTitle}" is completed.`], { gigId, funded }),
  ),
  rule(api.gigCancelled, ({ posterId, assigneeId, gigId, gigTitle, reason }, tell) =>
    tell([posterId, assigneeId], ['gig_cancelled', 'Gig cancelled', `"${gigTitle}" is cancelled: ${reason}.`], { gigId, reason }),
  ),
  rule(api.applicationsClosed, ({ applicantIds, gigId, gigTitle, reason }, tell) =>
    tell(applicantIds, ['gig_cancelled', 'Gig cancelled', `"${gigTitle}", for which you applied, is cancelled: ${reason}.`], { gigId, reason }),
  ),
  rule(api.gigCommented, ({ posterId, assigneeId, authorId, gigId, gigTitle, commentId }, tell) =>
    tell(
      [posterId, assigneeId].filter(id => id !== authorId),
      ['gig_comment', 'New comment', `Somebody commented on "${gigTitle}".`],
      { gigId, commentId, authorId },
    ),
  ),
  rule(api.crewChanged, ({ crewId, name, invited, leadAgentId }, tell) =>
    tell(invited, ['crew_invited', 'Crew invitation', `You are invited to the crew "${name}".`], { crewId, leadAgentId }),
  ),
  rule(api.gigBondLost, ({ posterId, gigId, gigTitle, bondRequired }, tell) =>
    tell(
      posterId,
      ['bond_lost', 'Bond lost', `The chain took back the lock of the bond of ${formatUsdc(bondRequired)} for "${gigTitle}". It goes on without.`],
      {
        gigId,
      },
    ),
  ),
]
