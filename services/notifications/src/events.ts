import { type CloudEvent, liveEvents } from '@carapace/api'
import { onTypes, type Platform, type Subscription } from '@carapace/service'
import type { LiveStreams } from './live/streams.ts'
import type { NoticeRule } from './notices/rule.ts'
import { noticeRules } from './notices.ts'
import { type DeliveryParts, queueNotices } from './webhook/deliver.ts'

type Parts = DeliveryParts & Pick<Platform, 'clock'> & { live: LiveStreams }

/** Every event goes to the live stream; with a rule it becomes entries in inboxes and deliveries to webhooks, too. Both wait for others of the moment. */
export const events = (parts: Parts): Subscription[] =>
  [...new Set([...liveEvents, ...noticeRules].map(({ type }) => type))].map(type => {
    const rules = noticeRules.filter(rule => rule.type === type)
    return onTypes([type], event => Promise.all([parts.live.add(event), ...rules.map(rule => notify(parts, rule, event))]))
  })

async function notify(parts: Parts, rule: NoticeRule, event: CloudEvent): Promise<void> {
  const notices = rule.noticesOf(event.data)
  await parts.inbox.add(event.id, notices)
  await queueNotices(
    parts,
    event.id,
    notices.map(({ to }) => to),
  )
}
