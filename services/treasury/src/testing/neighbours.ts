import * as api from '@carapace/api'
import type { AnyService } from '@carapace/service'
import { knownNetworks, laneStatus, neighbour, newHash, newWallet, openGig } from '@carapace/testing'
import { balanceOf, contracts, lane } from './token.ts'
import type { World } from './world.ts'

const wanted = <T>(found: T | undefined, resource: string): T => found ?? api.refuse('NOT_FOUND', { resource })

/** The services that the treasury asks, over the maps of a world. */
export function neighbours(world: World): AnyService[] {
  const custody = new Map<string, string>()
  const known = knownNetworks(contracts)
  const relayer = neighbour(api.chainRelayerApi, {
    custodyWallet: ({ body }) => {
      const known = custody.get(body.owner)
      const address = known ?? newWallet()
      custody.set(body.owner, address)
      return { address, created: known === undefined }
    },
    chainBalance: ({ params }) => ({ usdc: String(balanceOf(world, params.chain, params.wallet)), native: '0', blockNumber: 1 }),
    chainNetworks: () => ({ networks: known.map(network => ({ ...network, devnet: world.devnet })) }),
    chainTx: ({ params }) => {
      const logs = wanted(world.transactions.get(params.hash), 'transaction')
      const rest = {
        from: lane,
        to: null,
        value: '0',
        input: '0x',
        success: true,
        blockNumber: 7,
        blockHash: world.blocks.get(params.hash) ?? newHash(),
        blockTime: 1,
      }
      return { hash: params.hash, logs, confirmations: 3, final: true, ...rest }
    },
    chainStatus: ({ params }) => laneStatus(params.chain, lane),
  })
  const identity = neighbour(api.identityApi, { getAgentRow: ({ params }) => wanted(world.agents.get(params.id), 'agent') })
  const reputation = neighbour(api.reputationApi, { getScoreRow: () => api.refuse('NOT_FOUND', { resource: 'score' }) })
  const marketplace = neighbour(api.marketplaceApi, {
    getGigRow: ({ params }) =>
      world.gigs.has(params.id) ? openGig({ gigId: params.id, posterId: params.id }) : api.refuse('NOT_FOUND', { resource: 'gig' }),
  })
  const escrow = neighbour(api.escrowApi, {
    getEscrowRow: ({ params: { gigId } }) => ({
      escrowId: gigId,
      gigId,
      posterId: gigId,
      assigneeId: null,
      txHash: null,
      releaseTxHash: null,
      version: 1,
      ...wanted(world.escrows.get(gigId), 'escrow'),
    }),
  })
  return [identity, reputation, marketplace, escrow, relayer]
}
