import type { Parts } from '../parts.ts'
import { cancel } from './payment.ts'

/**
 * The sender cancels a queued payment; of this and the executor, the first one wins. The same operation again changes nothing.
 * @throws NOT_FOUND, FORBIDDEN, INVALID_STATE
 */
export async function cancelPayment({ payments }: Pick<Parts, 'payments'>, paymentId: string, caller: string, operationId: string): Promise<void> {
  await payments.change(paymentId, payment => cancel(payment, caller), { cause: operationId })
}
