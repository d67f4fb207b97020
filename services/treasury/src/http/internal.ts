import { refuse, type treasuryApi, treasurySnapshot } from '@carapace/api'
import { announceRows, clearingHandlers, doctorHandlers, type Handlers, reply, sagaHandlers } from '@carapace/service'
import { explainClearing } from '../clearing.ts'
import { checks } from '../invariants.ts'
import { holdingOf } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { reserveFunds } from '../reservation/reserve-funds.ts'
import { reservationView, spendableView, walletRow } from '../views.ts'
import { unclaimedNote } from '../x402/invariants.ts'

export const internalHandlers = (parts: Parts) =>
  ({
    getWalletRow: async ({ params }) => walletRow((await parts.wallets.of(params.agentId)) ?? refuse('NOT_FOUND', { resource: 'wallet' })),

    getSpendable: async ({ params, query }) => {
      const { agentId } = params
      const [wallet, budget, holding] = await Promise.all([
        parts.wallets.of(agentId),
        parts.budgets.of(agentId),
        holdingOf(parts.ledger, query.chain, agentId),
      ])
      return spendableView(wallet, budget, holding, parts.clock.now())
    },

    reserveFunds: async ({ body }) => {
      const { made, isNew } = await reserveFunds(parts, { ...body, amount: BigInt(body.amount) })
      return reply(isNew ? 201 : 200, reservationView(made))
    },

    getReservation: async ({ params }) => reservationView(await parts.reservations.need(params.id)),

    announceWallets: ({ body }) => announceRows(parts, treasurySnapshot, body, parts.wallets, walletRow),

    ...clearingHandlers(parts, explainClearing),

    ...sagaHandlers(parts),

    doctorReport: async () => {
      const [report, note] = await Promise.all([doctorHandlers(parts, checks).doctorReport(), unclaimedNote(parts)])
      return { checks: [...report.checks, note] }
    },
  }) satisfies Handlers<typeof treasuryApi>
