import { refuse } from '@carapace/api'

/** @param reason a code of x402, or one of ours in the same form @throws PAYMENT_INVALID */
export const refusePayment = (reason: string, message?: string): never =>
  refuse('PAYMENT_INVALID', { reason }, message === undefined ? {} : { message })
