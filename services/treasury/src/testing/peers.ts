import * as api from '@carapace/api'
import type { AnyService } from '@carapace/service'
import { knownNetworks, laneStatus, newHash, newWallet, openGig, stubPeer } from '@carapace/testing'
import type { Harness } from './harness.ts'
import { balanceOf, contracts, lane } from './token.ts'

const wanted = <T>(found: T | undefined, resource: string): T => found ?? api.refuse('NOT_FOUND', { resource })

/** The services that the treasury calls, over the maps of a harness. */
export function peerServices(harness: Harness): AnyService[] {
  const custody = new Map<string, string>()
  const networks = knownNetworks(contracts)
  const relayer = stubPeer(api.chainRelayerApi, {
    custodyWallet: ({ body }) => {
      const wallet = custody.get(body.owner)
      const address = wallet ?? newWallet()
      custody.set(body.owner, address)
      return { address, created: wallet === undefined }
    },
    chainOutcomes: ({ body }) => harness.memory.answer(body.operations),
    chainCode: ({ params }) => ({ code: networks.some(({ contracts: { usdc } }) => usdc.toLowerCase() === params.wallet) ? '0x60' : '0x' }),
    chainRead: ({ body }) => ({ result: [wanted(harness.jobKeys.get(String(body.args[0])), 'job')], blockNumber: 1 }),
    chainCall: () => ({ success: true, data: '0x', reason: null }),
    chainAuthorization: ({ params }) => ({
      txHash: harness.authorizations.get(params.nonce) ?? null,
      cancelled: harness.cancellations.has(params.nonce),
    }),
    chainBalance: ({ params }) => ({ usdc: String(balanceOf(harness, params.chain, params.wallet)), native: '0', blockNumber: 1 }),
    chainNetworks: () => ({ networks: networks.map(network => ({ ...network, devnet: harness.devnet })) }),
    chainTx: ({ params }) => {
      if (harness.away.has(params.chain)) api.refuse('CHAIN_UNAVAILABLE', { chain: params.chain })
      const logs = wanted(harness.transactions.get(params.hash), 'transaction')
      const rest = {
        from: harness.senders.get(params.hash) ?? lane,
        to: null,
        value: '0',
        input: '0x',
        success: true,
        blockNumber: 7,
        blockHash: harness.blocks.get(params.hash) ?? newHash(),
        blockTime: 1,
      }
      return { hash: params.hash, logs, confirmations: 3, final: !harness.unsettled.has(params.hash), ...rest }
    },
    chainStatus: ({ params }) => ({ ...laneStatus(params.chain, lane), contracts: { Escrow: contracts.escrow } }),
  })
  const identity = stubPeer(api.identityApi, {
    getAgentRow: ({ params }) => {
      if (harness.away.has('identity')) api.refuse('DEPENDENCY_UNAVAILABLE')
      return wanted(harness.agents.get(params.id), 'agent')
    },
  })
  const reputation = stubPeer(api.reputationApi, { getScoreRow: () => api.refuse('NOT_FOUND', { resource: 'score' }) })
  const marketplace = stubPeer(api.marketplaceApi, {
    getGigRow: ({ params }) =>
      harness.gigs.has(params.id) ? openGig({ gigId: params.id, posterId: params.id }) : api.refuse('NOT_FOUND', { resource: 'gig' }),
  })
  const escrow = stubPeer(api.escrowApi, {
    getReservationUse: ({ body }) => ({ isOpen: harness.isOpen(body.key, body.round) }),
    getEscrowRow: ({ params: { gigId } }) => ({
      escrowId: gigId,
      gigId,
      posterId: gigId,
      assigneeId: null,
      txHash: null,
      releaseTxHash: null,
      settledAt: null,
      version: 1,
      ...wanted(harness.escrows.get(gigId), 'escrow'),
    }),
  })
  return [identity, reputation, marketplace, escrow, relayer]
}
