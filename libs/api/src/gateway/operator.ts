import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { intQuery } from '../core/fields.ts'

const deadLetter = z
  .looseObject({
    id: z.string(),
    queue: z.string(),
    type: z.string(),
    subject: z.string(),
    reason: z.string(),
    attempts: z.int(),
    deadAt: z.string(),
  })
  .meta({ id: 'DeadLetter' })

export const listDeadLetters = endpoint({
  method: 'get',
  path: '/api/admin/dead-letters',
  summary: 'Events that no consumer could handle, oldest first',
  caller: 'admin',
  rate: 'admin',
  query: { limit: intQuery(1, 1000).prefault('100') },
  response: z.looseObject({ deadLetters: z.array(deadLetter), total: z.int() }),
})

export const replayDeadLetter = endpoint({
  method: 'post',
  path: '/api/admin/dead-letters/:id/replay',
  summary: 'Put an event back into its queue',
  caller: 'admin',
  body: z.object({ queue: z.string().max(100).optional() }),
  response: z.looseObject({ replayed: z.literal(true), id: z.string() }),
})
