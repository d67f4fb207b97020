import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { id } from './fields.ts'

/**
 * What the treasury requests of the owner of a reservation, or of money set aside at the intake, whose command has not ended. Once a round is not open, it never is again: rounds only rise,
 * and money is reserved after the record is stored.
 */
export const getReservationUse = endpoint({
  method: 'post',
  path: '/internal/v1/reservation-uses',
  caller: 'internal',
  summary: 'Whether a round of a command that money is reserved for is still to be sent, is under way, or had its effect',
  body: z.object({
    /** Operation key of the command. */
    key: z.string().min(1).max(200),
    round: z.int().min(1),
    /** Null where an x402 payment names none. */
    agentId: id.nullable(),
  }),
  response: z.looseObject({ isOpen: z.boolean() }),
})
