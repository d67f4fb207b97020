import * as api from '@carapace/api'
import { formatUsdc } from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** Notices for events of the treasury. */
export const treasuryNotices: readonly NoticeRule[] = [
  rule(api.paymentQueued, ({ fromAgentId, paymentId, amount, executeAfter }, notify) =>
    notify(fromAgentId, ['treasury_payment_queued', 'Payment queued', `${formatUsdc(amount)} will be paid at ${executeAfter} unless you cancel.`], {
      paymentId,
      executeAfter,
      amount: Number(amount),
    }),
  ),
  rule(api.paymentExecuted, ({ fromAgentId, toAgentId, paymentId, amount, txHash }, notify) => {
    notify(fromAgentId, ['treasury_payment_executed', 'Payment made', `${formatUsdc(amount)} were paid.`], {
      paymentId,
      txHash,
      amount: Number(amount),
    })
    notify(toAgentId, ['payment_received', 'Payment received', `You received ${formatUsdc(amount)}.`], {
      paymentId,
      txHash,
      fromAgentId,
      amount: Number(amount),
    })
  }),
  rule(api.paymentFailed, ({ fromAgentId, paymentId, amount, code }, notify) =>
    notify(fromAgentId, ['treasury_payment_failed', 'Payment failed', `${formatUsdc(amount)} were not paid (${code}).`], {
      paymentId,
      amount: Number(amount),
    }),
  ),
  rule(api.paymentCancelled, ({ fromAgentId, paymentId, amount }, notify) =>
    notify(fromAgentId, ['treasury_payment_cancelled', 'Payment cancelled', `The payment of ${formatUsdc(amount)} was cancelled.`], {
      paymentId,
      amount: Number(amount),
    }),
  ),
  rule(api.depositReceived, ({ agentId, amount, chain, txHash, kind }, notify) =>
    notify(agentId, ['treasury_deposit', 'Treasury deposit', `${formatUsdc(amount)} arrived in your treasury on ${chain}.`], {
      chain,
      txHash,
      kind,
      amount: Number(amount),
    }),
  ),
  rule(api.depositReversed, ({ agentId, amount, chain, txHash, debt }, notify) => {
    const debtText = debt > 0n ? ` Your account owes ${formatUsdc(debt)} there: it can pay again once deposits have covered that.` : ''
    const text = `The chain has dropped a deposit of ${formatUsdc(amount)} on ${chain}; the credit was taken back.${debtText}`
    notify(agentId, ['treasury_deposit_reversed', 'Treasury deposit taken back', text], { chain, txHash, amount: Number(amount), debt: Number(debt) })
  }),
  rule(api.limitChanged, ({ agentId, dailyLimit, effectiveAt }, notify) =>
    notify(agentId, ['treasury_limit_changed', 'Daily limit changed', `Your daily limit is ${formatUsdc(dailyLimit)} from ${effectiveAt}.`], {
      dailyLimit: Number(dailyLimit),
      effectiveAt,
    }),
  ),
]
