import { z } from 'zod'
import { event } from '../core/event.ts'

export const clockAdvanced = event(
  'gateway.clock.advanced',
  'offsetMs',
  'The sandbox clock was moved forward',
  {
    /** Platform clock minus wall clock, ms; only grows. */
    offsetMs: z.int().min(0),
  },
  'internal',
)
