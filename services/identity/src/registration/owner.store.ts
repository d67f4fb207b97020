import { type Chain, chainEvent, chainEventRemoved, chainRelayerApi } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { on, type Platform, type Subscription } from '@carapace/service'

/** Owner of an identity token, by the log. */
export interface TokenOwner {
  /** EIP-55 */
  owner: string
  blockNumber: number
}
interface Row extends TokenOwner {
  _id: string
  /** Place in the chain: block, then log within it. */
  place: number
}

export interface TokenOwners {
  subscriptions: Subscription[]
  of(tokens: readonly { chain: Chain; tokenId: string }[]): Promise<(chain: Chain, tokenId: string) => TokenOwner | undefined>
}

const identityTransfer = chainEvent('IdentityRegistry', 'Transfer')
const noAddress = `0x${'0'.repeat(40)}`
const logsPerBlock = 1_000_000
const keyOf = (chain: Chain, tokenId: string) => `${chain}:${tokenId}`

/** Owners of identity tokens, projected from the Transfer logs of the registries: the later place in the chain wins. After a reorged log the chain is read. */
export function tokenOwners({ db, peers }: Pick<Platform, 'db' | 'peers'>): TokenOwners {
  const rows = db.collection<Row>('token_owners')
  return {
    subscriptions: [
      on(identityTransfer, async ({ network, args, blockNumber, logIndex }) => {
        const place = blockNumber * logsPerBlock + logIndex
        const _id = keyOf(network, String(args.tokenId))
        const row = { owner: toChecksum(String(args.to)), blockNumber, place }
        await rows.updateOne({ _id }, { $setOnInsert: row }, { upsert: true })
        await rows.updateOne({ _id, place: { $lt: place } }, { $set: row })
      }),
      on(chainEventRemoved, async ({ contract, event, network: chain, args }) => {
        if (contract !== 'IdentityRegistry' || event !== 'Transfer') return
        const tokenId = String(args.tokenId)
        const params = { chain, contract, tokenId }
        const { owner, blockNumber } = await peers.call('chain-relayer', chainRelayerApi.internal.chainOwnerOf, { params })
        const _id = keyOf(chain, tokenId)
        const row = { owner: toChecksum(owner ?? noAddress), blockNumber, place: blockNumber * logsPerBlock }
        await rows.updateOne({ _id }, { $set: row }, { upsert: true })
      }),
    ],
    of: async tokens => {
      const ids = tokens.map(({ chain, tokenId }) => keyOf(chain, tokenId))
      const found = ids.length ? await rows.find({ _id: { $in: ids } }).toArray() : []
      const stored = new Map(found.map(row => [row._id, { owner: row.owner, blockNumber: Number(row.blockNumber) }]))
      return (chain, tokenId) => stored.get(keyOf(chain, tokenId))
    },
  }
}
