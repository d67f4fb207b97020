import { Refusal, treasuryApi, treasurySnapshot, type WalletRow, walletCreated } from '@carapace/api'
import { on, type Platform, type Subscription } from '@carapace/service'
import { projection } from '@carapace/store'

interface Row {
  address: string
}

export interface CustodialWallets {
  subscriptions: Subscription[]
  /** The custodial address of an agent, read from treasury when it is not known here; undefined when it has none or treasury is away. */
  of(agentId: string): Promise<string | undefined>
}

/** Custodial wallets by agent: the last source of funds, and where half of an escrow's payout goes. @example const custodial = custodialWallets(platform) */
export function custodialWallets({ db, peers }: Pick<Platform, 'db' | 'peers'>): CustodialWallets {
  const rows = projection<Row>(db, { collection: 'custodial_wallets' })
  return {
    subscriptions: [
      on(walletCreated, ({ agentId, address }, event) => rows.apply(agentId, { address }, event)),
      on(treasurySnapshot, ({ kind, id, version, row }, event) => {
        const { agentId, address } = row as unknown as WalletRow
        return kind === 'wallet' ? rows.apply(agentId, { address }, { ...event, subject: id, aggregateversion: version }) : Promise.resolve()
      }),
    ],
    of: async agentId => {
      const stored = await rows.get(agentId)
      if (stored) return stored.address
      try {
        return (await peers.find('treasury', treasuryApi.internal.getWalletRow, { params: { agentId } }))?.address
      } catch (error) {
        // without treasury nothing can be paid into or out of its wallets: the agent's own wallet serves
        if (error instanceof Refusal && error.code === 'DEPENDENCY_UNAVAILABLE') return undefined
        throw error
      }
    },
  }
}
