import type { EventDef, NotificationType, PayloadOf } from '@carapace/api'

/** One entry for one inbox. */
export interface Notice {
  to: string
  type: NotificationType
  title: string
  message: string
  metadata: Record<string, unknown>
}

export interface NoticeRule {
  type: string
  /** @throws ZodError when the payload is not as declared */
  noticesOf(data: unknown): Notice[]
}

type Text = readonly [type: NotificationType, title: string, message: string]

/** The notices for one type of event (behaviour 11). null receives none, and each agent receives at most one for an event. */
export function rule<E extends EventDef>(
  event: E,
  write: (payload: PayloadOf<E>, notify: (to: string | null | (string | null)[], text: Text, metadata?: Record<string, unknown>) => void) => void,
): NoticeRule {
  return {
    type: event.type,
    noticesOf: data => {
      const notices = new Map<string, Notice>()
      write(event.read(data) as PayloadOf<E>, (to, [type, title, message], metadata = {}) => {
        for (const agentId of [to].flat())
          if (agentId !== null && !notices.has(agentId)) notices.set(agentId, { to: agentId, type, title, message, metadata })
      })
      return [...notices.values()]
    },
  }
}
