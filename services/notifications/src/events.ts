import { onTypes, type Platform, type Subscription } from '@carapace/service'
import { noticeRules } from './notices.ts'
import { type DeliveryParts, queueNotices } from './webhook/deliver.ts'

/** Every event with a rule becomes entries in the inboxes of those it concerns, and deliveries to their webhooks. */
export const events = (parts: DeliveryParts & Pick<Platform, 'clock'>): Subscription[] =>
  noticeRules.map(rule =>
    onTypes([rule.type], async event => {
      const notices = rule.noticesOf(event.data)
      await parts.inbox.add(event.id, notices)
      await queueNotices(
        parts,
        event.id,
        notices.map(({ to }) => to),
      )
    }),
  )
