import { z } from 'zod'
import { doctorReport } from './core/doctor.ts'
import { endpoint } from './core/endpoint.ts'
import { serviceApi } from './core/service-api.ts'
import { consumes } from './social/consumes.ts'
import * as events from './social/events.ts'
import * as follows from './social/follows.ts'
import * as messages from './social/messages.ts'
import * as reviews from './social/reviews.ts'

const countUnreadMessages = endpoint({
  method: 'get',
  path: '/internal/v1/agents/:id/unread-messages',
  caller: 'internal',
  summary: 'How many messages to an agent are unread',
  response: z.looseObject({ count: z.int() }),
})

/** Follows, comments on agents, messages, reviews. */
export const socialApi = serviceApi('social', {
  endpoints: { ...follows, ...messages, ...reviews },
  internal: { countUnreadMessages, doctorReport },
  events,
  consumes,
})
