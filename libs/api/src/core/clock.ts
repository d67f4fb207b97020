import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** The sandbox moves the clock of a service. Served by the framework, so no service declares it. */
export const moveClock = endpoint({
  method: 'post',
  path: '/internal/v1/clock',
  caller: 'internal',
  summary: 'Set the platform clock forward; answers when every replica has the new time and what became due has run',
  body: z.object({ offsetMs: z.int().min(0) }),
  response: z.looseObject({ offsetMs: z.int() }),
})
