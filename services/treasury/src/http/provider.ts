import { chains, escrowApi, marketplaceApi, refuse, type treasuryApi, usd } from '@carapace/api'
import { networks, orFirst } from '@carapace/chain'
import type { Handlers } from '@carapace/service'
import type { Movement } from '../history.store.ts'
import type { Parts } from '../parts.ts'

const states = {
  pending: 'QUEUED',
  submitted: 'INITIATED',
  processing: 'INITIATED',
  executed: 'CONFIRMED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
} as const satisfies Record<Movement['status'], string>

function stateOf({ status, txHash, isFinal }: Movement) {
  if (status === 'executed' && isFinal) return 'COMPLETE'
  return txHash !== null && states[status] === 'INITIATED' ? 'SENT' : states[status]
}

/** States of an escrow in which the contract holds its amount. */
const holding = new Set(['locked', 'disputed', 'releasing', 'refunding'])

/** The wallet provider's view. It shows the owner of the money to an admin only. */
export const providerHandlers = (parts: Parts) =>
  ({
    getEscrowWalletBalance: async ({ params: { gigId } }) => {
      const row = await parts.peers.find('escrow', escrowApi.internal.getEscrowRow, { params: { gigId } })
      const gig = row ?? (await parts.peers.find('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } }))
      if (!gig) refuse('NOT_FOUND', { resource: 'gig' })
      const isHeld = row !== undefined && holding.has(row.status)
      const amount = isHeld ? BigInt(row.amount) : 0n
      const every = await parts.networks.everyContract(gig.chain, 'escrow')
      const address = isHeld ? orFirst(every, row.contract) : (row?.contract ?? every.at(-1)!)
      return { gigId, chain: gig.chain, address, balances: [{ amount: String(usd(amount)), token: { symbol: 'USDC', decimals: 6 } }] }
    },

    getProviderTransaction: async ({ params }) => {
      const movement = (await parts.history.get(params.transactionId)) ?? refuse('NOT_FOUND', { resource: 'transaction' })
      return {
        id: movement.id,
        state: stateOf(movement),
        transactionType: movement.type === 'debit' ? 'OUTBOUND' : 'INBOUND',
        txHash: movement.txHash,
        blockchain: movement.chain,
        createDate: movement.at.toISOString(),
        updateDate: movement.changedAt.toISOString(),
      }
    },

    listProviderWallets: async ({ query, caller }) => {
      const { items, total } = await parts.wallets.page({}, query)
      const isAdmin = caller?.kind === 'admin'
      const wallets = items.map(({ id, address, chain, createdAt, agentId }) => ({
        id,
        address,
        blockchain: chain,
        state: 'LIVE',
        createDate: createdAt.toISOString(),
        ...(isAdmin ? { agentId } : {}),
      }))
      return { wallets, total, configured: true, ...query }
    },

    getProviderConfig: () => ({
      configured: true,
      provider: 'local' as const,
      supportedChains: chains.map(id => ({ id, name: networks[id].title, chainId: networks[id].chainId })),
      defaultChain: 'BASE_SEPOLIA' as const,
    }),
  }) satisfies Handlers<typeof treasuryApi>
