import { chainRelayerApi, type treasuryApi } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { type Handlers, reply } from '@carapace/service'
import { orExisting } from '@carapace/store'
import { setLimit } from '../budget/budget.ts'
import { holdingsOf } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { balanceView, limitsView, movementView, walletView } from '../views.ts'
import { openWallet } from '../wallet/wallet.store.ts'

export const walletHandlers = (parts: Parts) =>
  ({
    fundTreasury: async ({ params }) => {
      const agentId = params.id
      const stored = await parts.wallets.of(agentId)
      if (stored) return reply(200, walletView(stored, (await parts.networks.contracts(stored.chain)).usdc, true))
      const { preferredChain: chain } = await parts.agents.need(agentId)
      const { usdc } = await parts.networks.contracts(chain)
      const { address } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.custodyWallet, { body: { owner: agentId } })
      const { state, events } = openWallet({ id: parts.newId(), agentId, address: toChecksum(address), chain })
      const wallet = await orExisting(parts.wallets.create(state, events), () => parts.wallets.of(agentId))
      const existing = wallet.id !== state.id
      return reply(existing ? 200 : 201, walletView(wallet, usdc, existing))
    },

    getTreasuryBalance: async ({ params }) => {
      const [wallet, holdings] = await Promise.all([parts.wallets.of(params.id), holdingsOf(parts.ledger, params.id)])
      return balanceView(wallet, wallet?.chain ?? 'BASE_SEPOLIA', holdings)
    },

    getTreasuryLimits: async ({ params }) => limitsView(await parts.budgets.of(params.id), parts.clock.now()),

    setTreasuryLimits: async ({ params, body }) => {
      const isImmediate = await parts.networks.areDevnets()
      let effectiveAt = parts.clock.now()
      await parts.budgets.ensure(params.id)
      const set = () =>
        parts.budgets.change(params.id, budget => {
          const decision = setLimit(budget, body.dailyLimit, parts.clock.now(), isImmediate)
          effectiveAt = decision.effectiveAt
          return decision
        })
      await parts.queue.serialize(params.id, set)
      const { dailyLimit, dailyLimitFormatted } = limitsView(
        { id: params.id, dailyLimit: body.dailyLimit, raise: null, day: '', spent: 0n },
        effectiveAt,
      )
      return { dailyLimit, dailyLimitFormatted, effectiveAt: effectiveAt.toISOString() }
    },

    listTreasuryHistory: async ({ params, query }) => {
      const { page, limit } = query
      const offset = (page - 1) * limit
      const { items, total } = await parts.history.page(params.id, { limit, offset })
      const [refs, titles] = await Promise.all([
        parts.agents.refs(items.map(({ counterpartyId }) => counterpartyId)),
        parts.gigs.titles(items.map(({ gigId }) => gigId)),
      ])
      const transactions = items.map(item => movementView(item, id => refs(id).handle, titles))
      return { transactions, total, page, hasMore: offset + items.length < total }
    },
  }) satisfies Handlers<typeof treasuryApi>
