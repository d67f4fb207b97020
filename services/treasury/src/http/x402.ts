import { refuse, type treasuryApi, usd } from '@carapace/api'
import type { HandlersOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Settlement } from '../settlement.store.ts'

type Handlers = HandlersOf<typeof treasuryApi>

const settlementView = ({ id, agentId, payer, route, amount, chain, txHash, scheme, state, settledAt }: Stored<Settlement>) => ({
  id,
  agentId,
  payer,
  route,
  amount: usd(amount),
  chain,
  txHash,
  scheme,
  state,
  settledAt: settledAt.toISOString(),
})

/** No scheme is settled here yet: `supported` lists none, and a payment of any scheme is refused as x402 has it. */
const unsupported = 'unsupported_scheme'

export const x402Handlers = (
  parts: Parts,
): Pick<Handlers, 'listX402Payments' | 'getX402Statistics' | 'verifyX402' | 'settleX402' | 'listX402Kinds' | 'listX402Resources'> => ({
  listX402Payments: async ({ params, query }) => {
    const { items, total } = await parts.settlements.page({ agentId: params.agentId }, query)
    return { payments: items.map(settlementView), total, ...query }
  },

  getX402Statistics: async () => {
    const { count, amount, payers, byRoute } = await parts.settlements.figures()
    return {
      totalPayments: count,
      totalAmount: usd(amount),
      uniquePayers: payers,
      byRoute: byRoute.map(entry => ({ ...entry, amount: usd(entry.amount) })),
    }
  },

  verifyX402: () => {
    needPayTo(parts)
    return { isValid: false, invalidReason: unsupported }
  },

  settleX402: ({ body }) => {
    needPayTo(parts)
    return { success: false, transaction: '', network: String(body.paymentRequirements.network ?? ''), errorReason: unsupported }
  },

  listX402Kinds: () => ({ kinds: [], extensions: [], signers: {} }),

  listX402Resources: ({ query }) => ({ x402Version: 2 as const, items: [], pagination: { limit: query.limit, offset: query.offset, total: 0 } }),
})

function needPayTo({ config }: Parts): void {
  if (!config.X402_PAY_TO_ADDRESS) refuse('PROVIDER_NOT_CONFIGURED', undefined, { message: 'X402_PAY_TO_ADDRESS is not set: nothing is sold here' })
}
