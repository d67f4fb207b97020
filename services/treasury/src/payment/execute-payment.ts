import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { type Block, execute, ordererOf, type Payment } from './payment.ts'

/**
 * Sends a queued payment whose time has come; one of an account in debt or of a suspended sender waits, and fails in the end. While identity does not
 * answer, it waits.
 * @throws DEPENDENCY_UNAVAILABLE
 */
export async function executePayment(
  parts: Pick<Parts, 'payments' | 'ledger' | 'agents'>,
  payment: Payment,
  now: Date,
  deadline: Date,
): Promise<void> {
  const block = await blockOf(parts, payment)
  await parts.payments.change(payment.id, present => execute(present, now, deadline, block))
}

async function blockOf({ ledger, agents }: Pick<Parts, 'ledger' | 'agents'>, payment: Payment): Promise<Block | null> {
  const { fromAgentId, chain } = payment
  // a migrated agent may still withdraw its money; one that lost its wallet is suspended for good, and orders nothing
  const { status } = await agents.fresh(ordererOf(payment))
  if (status === 'suspended') return 'ACCOUNT_SUSPENDED'
  return (await ledger.balance(chain, account.debt(fromAgentId))) < 0n ? 'INSUFFICIENT_BALANCE' : null
}
