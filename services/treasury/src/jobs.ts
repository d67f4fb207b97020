import { dueBy, eachDue, examination, type Job } from '@carapace/service'
import { depositSweep } from './deposit/deposit-sweep.ts'
import { checks } from './invariants.ts'
import type { Parts } from './parts.ts'
import { executePayment } from './payment/execute-payment.ts'
import { commandDeadline } from './payment/pay.ts'
import { unusedReservations } from './reservation/unused.ts'
import { transferDue } from './x402/follow-transfers.ts'
import { returnDue } from './x402/hold.ts'
import { unusedHolds, unusedPayments } from './x402/unused.ts'

const batch = 100

/** What time alone does. */
export const jobs = (parts: Parts): Job[] => [
  {
    name: 'payments whose waiting time is over',
    everyMs: 2_000,
    due: dueBy(parts.payments, 'executeAfter', { filter: { status: 'pending' } }),
    run: async now => {
      // those whose account is in debt stay, so the next page is read although this one did not shrink
      let due = await parts.payments.due(now, batch)
      for (; due.length > 0; due = await parts.payments.due(now, batch, due.at(-1)))
        await eachDue(parts.log, due, payment => executePayment(parts, payment, now, commandDeadline()))
    },
  },
  unusedReservations(parts),
  unusedHolds(parts),
  unusedPayments(parts),
  { name: 'deposits that the chain does not have', everyMs: 5_000, run: depositSweep(parts) },
  {
    name: 'money at the intake that goes back',
    everyMs: 2_000,
    due: dueBy(parts.x402, 'fund.returnAt'),
    run: async now => eachDue(parts.log, await parts.x402.returnDue(now, batch), ({ id }) => returnDue(parts, id, now)),
  },
  {
    name: 'transfers to x402 addresses that nobody claims',
    everyMs: 2_000,
    due: dueBy(parts.x402Transfers, 'dueAt'),
    run: async now => eachDue(parts.log, await parts.x402Transfers.due(now, batch), transfer => transferDue(parts, transfer)),
  },
  ...examination(parts, checks, new Set(['stuck'])),
]
