import { refuse, type treasuryApi, treasurySnapshot } from '@carapace/api'
import { announceRows, doctorHandlers, type HandlersOf, reply } from '@carapace/service'
import { holdingOf } from '../accounts.ts'
import { checks } from '../invariants.ts'
import type { Parts } from '../parts.ts'
import { reserve } from '../reserve.ts'
import { reservationView, spendableView, walletRow } from '../views.ts'

type Handlers = HandlersOf<typeof treasuryApi>

export const internalHandlers = (
  parts: Parts,
): Pick<Handlers, 'getWalletRow' | 'getSpendable' | 'reserveFunds' | 'getReservation' | 'announceWallets' | 'doctorReport'> => ({
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
    const { made, isNew } = await reserve(parts, { ...body, amount: BigInt(body.amount) })
    return reply(isNew ? 201 : 200, reservationView(made))
  },

  getReservation: async ({ params }) => reservationView(await parts.reservations.need(params.id)),

  announceWallets: ({ body }) => announceRows(parts, treasurySnapshot, body, parts.wallets, walletRow),

  ...doctorHandlers(parts, checks),
})
