import { onTypes, type Subscription } from '@carapace/service'
import type { Inbox } from './inbox.store.ts'
import { noticeRules } from './notices.ts'

/** Every event with a rule becomes entries in the inboxes of those it concerns. */
export const events = ({ inbox }: { inbox: Inbox }): Subscription[] =>
  noticeRules.map(rule => onTypes([rule.type], event => inbox.add(event.id, rule.noticesOf(event.data))))
