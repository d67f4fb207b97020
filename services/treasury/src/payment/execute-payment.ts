import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { execute, type Payment } from './payment.ts'

/** Sends a queued payment whose time has come; one of an account in debt waits, and fails in the end. */
export async function executePayment(
  { payments, ledger }: Pick<Parts, 'payments' | 'ledger'>,
  { id, fromAgentId, chain }: Payment,
  now: Date,
  deadline: Date,
): Promise<void> {
  const isBlocked = (await ledger.balance(chain, account.debt(fromAgentId))) < 0n
  await payments.change(id, payment => execute(payment, now, deadline, isBlocked))
}
