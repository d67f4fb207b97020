import { type chainRelayerApi, refuse } from '@carapace/api'
import type { HandlersOf, Platform } from '@carapace/service'
import { networkView } from './chain/network-view.ts'
import type { Custody } from './custody/custody.ts'
import { finalLogs, withdrawnLogs } from './inbound/final-logs.ts'
import type { Outcomes } from './inbound/outcomes.ts'
import type { Collections } from './lane/collections.ts'
import { addressesOf, leadingAddress } from './lane/keys/network-leases.ts'
import { retirementOf } from './lane/keys/retirement.ts'
import type { Lanes } from './lanes.ts'
import type { Networks } from './networks.ts'
import type { Operator } from './outbound/operator.ts'

interface Parts extends Pick<Platform, 'clock'> {
  records: Collections
  outcomes: Outcomes
  networks: Networks
  operator: Operator
  custody: Custody
  lanes: Lanes
}

export const http = ({ records, outcomes, networks, operator, custody, lanes, clock }: Parts): HandlersOf<typeof chainRelayerApi> => {
  const on = (chain: string) => [...networks.values()].find(one => one.network.chain === chain) ?? refuse('CHAIN_UNAVAILABLE', { chain })
  return {
    listChainQueue: ({ query }) => operator.list(query),
    getChainCommand: ({ params }) => operator.inspect(params.commandId),
    retryChainCommand: ({ params }) => operator.retry(params.commandId),
    cancelChainCommand: async ({ params }) => {
      const cancelled = await operator.cancel(params.commandId)
      lanes.checkStore()
      return cancelled
    },

    chainTx: ({ params }) => on(params.chain).reads.transaction(params.hash),
    chainBalance: ({ params }) => on(params.chain).reads.balance(params.wallet),
    chainAllowance: ({ params }) => on(params.chain).reads.allowance(params.owner, params.spender),
    chainOwnerOf: ({ params, query }) => on(params.chain).reads.ownerOf(params.contract, params.tokenId, query.at),
    chainRead: ({ params, body }) => on(params.chain).reads.view(body.contract, body.fn, body.args, body),
    chainReads: ({ params, body }) => on(params.chain).reads.views(body.contract, body.fn, body.calls, body),
    chainCode: async ({ params }) => ({ code: await on(params.chain).reads.code(params.wallet) }),
    chainAuthorization: ({ params, query }) => on(params.chain).reads.authorizationUse(params.wallet, params.nonce, query.since),
    chainCall: ({ params, body }) => on(params.chain).reads.simulate(body.to, body.data),
    isValidSignature: async ({ params, body }) => ({ valid: await on(params.chain).reads.isValidSignature(body.wallet, body.hash, body.signature) }),
    custodyWallet: ({ body }) => custody.walletOf(body.owner),
    chainOutcomes: ({ body }) => outcomes.of(body),
    chainLogs: ({ params, query }) => finalLogs(records, on(params.chain).network, query.after, query.contracts.split(','), clock.now()),
    chainRemovedLogs: ({ params, query }) =>
      withdrawnLogs(records, on(params.chain).network.chain, query.since, query.contracts.split(','), clock.now()),
    chainNetworks: () => ({ networks: [...networks.values()].map(networkView) }),
    chainBlocks: async ({ params }) => ({ blocks: await on(params.chain).reads.blocks() }),
    chainStatus: async ({ params }) => {
      const { network, reads, parts, retiring } = on(params.chain)
      const head = await reads.head()
      const { leading, led, queued, inflight, nonceGap, contradiction } = await lanes.status(network.chain)
      return {
        chain: network.chain,
        chainId: network.profile.chainId,
        head: head.number,
        headHash: head.hash,
        headTime: head.time,
        leading,
        led,
        contradicted: contradiction !== undefined,
        lane: { address: await leadingAddress(parts), queued, inflight, nonceGap },
        laneAddresses: [...new Set([parts.signer.address, ...(await addressesOf(records, network.chain))])],
        retiring: retiring ? await retirementOf(retiring, reads, clock.now()) : null,
        contracts: { ...network.addresses },
      }
    },
  }
}
