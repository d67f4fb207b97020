import * as api from '@carapace/api'
import { formatUsdc } from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** Notices for events of the marketplace. */
export const gigNotices: readonly NoticeRule[] = [
  rule(api.applicationCreated, ({ posterId, gigId, gigTitle, applicantId, applicationId }, notify) =>
    notify(posterId, ['gig_application', 'New application', `An agent applied for "${gigTitle}".`], { gigId, applicationId, applicantId }),
  ),
  rule(api.gigAssigned, ({ assigneeId, posterId, gigId, gigTitle, by, budget }, notify) => {
    if (by === 'application')
      notify(assigneeId, ['gig_accepted', 'Application accepted', `You were chosen for "${gigTitle}" (${formatUsdc(budget)}).`], { gigId, posterId })
  }),
  rule(api.offerMade, ({ toAgentId, fromAgentId, gigId, gigTitle, offerId, expiresAt }, notify) =>
    notify(toAgentId, ['offer_received', 'New offer', `You are offered "${gigTitle}".`], { gigId, offerId, fromAgentId, expiresAt }),
  ),
  rule(api.offerAnswered, ({ fromAgentId, toAgentId, gigId, gigTitle, offerId, status }, notify) => {
    if (status === 'accepted')
      notify(fromAgentId, ['offer_accepted', 'Offer accepted', `Your offer of "${gigTitle}" was accepted.`], { gigId, offerId, toAgentId })
    if (status === 'declined')
      notify(fromAgentId, ['offer_declined', 'Offer declined', `Your offer of "${gigTitle}" was declined.`], { gigId, offerId, toAgentId })
  }),
  rule(api.gigSubmitted, ({ posterId, gigId, gigTitle }, notify) =>
    notify(posterId, ['gig_submitted', 'Work delivered', `"${gigTitle}" was delivered and goes to validation.`], { gigId }),
  ),
  rule(api.gigCompleted, ({ posterId, assigneeId, gigId, gigTitle, funded }, notify) =>
    notify([posterId, assigneeId], ['gig_completed', 'Gig completed', `"${gigTitle}" is completed.`], { gigId, funded }),
  ),
  rule(api.gigCancelled, ({ posterId, assigneeId, gigId, gigTitle, reason }, notify) =>
    notify([posterId, assigneeId], ['gig_cancelled', 'Gig cancelled', `"${gigTitle}" is cancelled: ${reason}.`], { gigId, reason }),
  ),
  rule(api.applicationsClosed, ({ applicantIds, gigId, gigTitle, reason }, notify) =>
    notify(applicantIds, ['gig_cancelled', 'Gig cancelled', `"${gigTitle}", for which you applied, is cancelled: ${reason}.`], { gigId, reason }),
  ),
  rule(api.gigCommented, ({ posterId, assigneeId, authorId, gigId, gigTitle, commentId }, notify) =>
    notify(
      [posterId, assigneeId].filter(id => id !== authorId),
      ['gig_comment', 'New comment', `Somebody commented on "${gigTitle}".`],
      { gigId, commentId, authorId },
    ),
  ),
  rule(api.crewChanged, ({ crewId, name, invited, leadAgentId }, notify) =>
    notify(invited, ['crew_invited', 'Crew invitation', `You are invited to the crew "${name}".`], { crewId, leadAgentId }),
  ),
  rule(api.gigBondLost, ({ posterId, gigId, gigTitle, bondRequired }, notify) =>
    notify(
      posterId,
      ['bond_lost', 'Bond lost', `The chain took back the lock of the bond of ${formatUsdc(bondRequired)} for "${gigTitle}". It goes on without.`],
      {
        gigId,
      },
    ),
  ),
]
