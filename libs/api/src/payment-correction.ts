import type { JobStatus } from './commerce/records.ts'
import type { PayloadOf } from './core/event.ts'
import type { escrowRestated } from './escrow/events.ts'

/**
 * What a correction says of a payment that was reported.
 * - reversed: it is not on chain now, and may be made again
 * - lost: it will not be made again: the money went back
 * - paidAgain: it is on chain, perhaps in another transaction
 */
export type PaymentCorrection = 'reversed' | 'lost' | 'paidAgain'

type Status = PayloadOf<typeof escrowRestated>['status'] | JobStatus

/** States in which the assignee is paid, and those in which an escrow or a job ends without paying. */
const paid: ReadonlySet<Status> = new Set<Status>(['released', 'settled'])
const endedUnpaid: ReadonlySet<Status> = new Set<Status>(['refunded', 'none', 'rejected', 'cancelled'])

/**
 * Reads `escrowRestated` and `jobCorrected` alike: `unpaid` of a job says also of a payment that may be made again that it is reversed, and an escrow
 * says `unpaid` only where it will not be. undefined: nothing about a payment that was reported.
 */
export function paymentCorrection({ status, unpaid }: { status: Status; unpaid: boolean }): PaymentCorrection | undefined {
  if (!unpaid) return paid.has(status) ? 'paidAgain' : undefined
  return endedUnpaid.has(status) ? 'lost' : 'reversed'
}
