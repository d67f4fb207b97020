import { type Chain, chainRelayerApi, chains } from '@carapace/api'
import type { Checks } from '@carapace/service'
import { isUnderWay } from './domain/domain.store.ts'
import { ownerOnChain } from './domain/reconcile.ts'
import { account } from './ledger.ts'
import type { Parts } from './parts.ts'

/** Names whose owner is compared with the chain in one run. */
const comparedPerRun = 200

/** The invariants of behaviour 18 that the service of domains can judge; each names what breaks it. */
export const checks: Checks<Parts> = {
  ledger: ({ ledger }, extent) => (extent === 'whole' ? ledger.audit() : ledger.auditNews()),

  /** What names have earned by the ledger is what the registries of each network have sold names for, but for what is under way. */
  income: async parts => {
    const faults = await Promise.all(
      chains.map(async chain => {
        const [booked, sold] = await Promise.all([parts.ledger.balance(chain, account.income), soldOnChain(parts, chain)])
        if (booked === sold) return []
        const difference = booked > sold ? booked - sold : sold - booked
        return difference <= (await openSales(parts, chain))
          ? []
          : [`${chain}: the ledger has an income of ${booked}, the registry has sold names for ${sold}`]
      }),
    )
    return faults.flat()
  },

  /** The owner of each name is the owner of its token. Where there are many, other ones are compared in each run. */
  owners: async parts => {
    const total = await parts.domains.count({ listed: true })
    const offset = total > comparedPerRun ? (Math.floor(Date.now() / 60_000) * comparedPerRun) % total : 0
    const { items } = await parts.domains.listed({}, { limit: comparedPerRun, offset })
    const faults: string[] = []
    for (const domain of items) {
      const isOpen = domain.operations.some(({ onChain }) => onChain?.status === 'pending')
      const owner = isOpen ? domain.ownerWallet : await ownerOnChain(parts, domain)
      if (owner !== domain.ownerWallet) faults.push(`${domain.fullDomain} belongs to ${domain.ownerWallet}, its token on ${domain.chain} to ${owner}`)
    }
    return faults
  },
}

/** What the sales under way come to at most, µ: the chain may have them already, or not have them any more. */
async function openSales({ domains }: Parts, chain: Chain): Promise<bigint> {
  const open = await domains.find({ chain, ...isUnderWay, 'operations.sale.price': { $gt: 0n } })
  const prices = open.flatMap(({ operations }) =>
    operations.flatMap(({ sale, onChain }) => (sale && onChain?.status === 'pending' ? [sale.price] : [])),
  )
  return prices.reduce((sum, price) => sum + price, 0n)
}

async function soldOnChain({ peers, networks }: Parts, chain: Chain): Promise<bigint> {
  // names may be in a registry that is newer than this process
  await networks.readAhead()
  const registries = await networks.everyContract(chain, 'domains')
  const sold = await Promise.all(
    registries.map(async at => {
      const body = { contract: 'DomainRegistry', fn: 'totalSales', args: [], at }
      const { result } = await peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain }, body })
      return BigInt(String(result[0]))
    }),
  )
  return sold.reduce((sum, one) => sum + one, 0n)
}
