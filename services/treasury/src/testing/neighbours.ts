import * as api from '@carapace/api'
import { networks } from '@carapace/chain'
import type { AnyService } from '@carapace/service'
import { neighbour } from '@carapace/testing'
import { balanceOf, contracts, lane, newHash, newWallet } from './token.ts'
import type { World } from './world.ts'

const wanted = <T>(found: T | undefined, resource: string): T => found ?? api.refuse('NOT_FOUND', { resource })

/** The services that the treasury asks, over the maps of a world. */
export function neighbours(world: World): AnyService[] {
  const custody = new Map<string, string>()
  const others = ['identityRegistry', 'reputationRegistry', 'validationRegistry', 'card', 'swarmValidator', 'domains', 'reputationAdapter']
  const addresses = {
    usdc: networks.BASE_SEPOLIA.canonical.USDC,
    ...Object.fromEntries(others.map(name => [name, newWallet()])),
    ...contracts,
    timelock: null,
  }
  const relayer = neighbour(api.chainRelayerApi, {
    custodyWallet: ({ body }) => {
      const known = custody.get(body.owner)
      const address = known ?? newWallet()
      custody.set(body.owner, address)
      return { address, created: known === undefined }
    },
    chainBalance: ({ params }) => ({ usdc: String(balanceOf(world, params.chain, params.wallet)), native: '0', blockNumber: 1 }),
    chainNetworks: () => ({
      networks: api.chains.map(chain => ({
        chain,
        chainId: networks[chain].chainId,
        rpcUrl: 'http://127.0.0.1:1',
        explorerUrl: null,
        gasless: false,
        contracts: addresses as never,
        devnet: world.devnet,
        finalityBlocks: 1,
      })),
    }),
    chainTx: ({ params }) => {
      const logs = wanted(world.transactions.get(params.hash), 'transaction')
      const rest = { from: lane, to: null, value: '0', input: '0x', success: true, blockNumber: 7, blockHash: newHash(), blockTime: 1 }
      return { hash: params.hash, logs, confirmations: 3, final: true, ...rest }
    },
    chainStatus: ({ params }) => ({
      chain: params.chain,
      chainId: 1,
      head: 1,
      headHash: newHash(),
      headTime: 1,
      leading: true,
      lane: { address: lane, queued: 0, inflight: 0, nonceGap: 0 },
      contracts: {},
    }),
  })
  const identity = neighbour(api.identityApi, { getAgentRow: ({ params }) => wanted(world.agents.get(params.id), 'agent') })
  const reputation = neighbour(api.reputationApi, { getScoreRow: () => api.refuse('NOT_FOUND', { resource: 'score' }) })
  const marketplace = neighbour(api.marketplaceApi, {
    getGigRow: ({ params }) => (world.gigs.has(params.id) ? gigRow(params.id) : api.refuse('NOT_FOUND', { resource: 'gig' })),
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

const gigRow = (gigId: string): api.GigRow => ({
  gigId,
  gigTitle: 'A gig',
  status: 'open',
  closeReason: null,
  posterId: gigId,
  assigneeId: null,
  crewId: null,
  memberIds: [],
  applicantIds: [],
  budget: '1',
  bondRequired: '0',
  feeBp: null,
  chain: 'BASE_SEPOLIA',
  skillsRequired: [],
  deadlineHours: 1,
  assignedAt: null,
  deadlineAt: null,
  submissionId: null,
  submittedAt: null,
  deliverableUrl: null,
  deliverableHash: null,
  createdAt: new Date().toISOString(),
  version: 1,
})
