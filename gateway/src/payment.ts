import type { IncomingMessage } from 'node:http'
import type { Found } from '@carapace/api'
import type { Config, RequestContext } from '@carapace/service'

export type Payment = NonNullable<RequestContext['payment']>

/**
 * Sees that a priced route is paid for: undefined where nothing is due, else the settled payment.
 * @throws PAYMENT_REQUIRED with a challenge, PAYMENT_INVALID, REPLAY_DETECTED
 */
export type PaymentStep = (request: IncomingMessage, route: Found) => Promise<Payment | undefined>

const zero = /^0x0{40}$/

/**
 * What collects; undefined without an address to pay to: priced routes are free.
 * @throws Error when there is an address, but nothing that collects for it
 */
export function paymentStep(config: Config, collect: PaymentStep | undefined): PaymentStep | undefined {
  const payTo = config.X402_PAY_TO_ADDRESS
  if (payTo === undefined || zero.test(payTo)) return undefined
  if (!collect) throw new Error('X402_PAY_TO_ADDRESS is set, but this gateway was started without a collector of x402 payments')
  return collect
}
