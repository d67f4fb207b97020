import { type Chain, chains } from '@carapace/api'

/** One value for each network. @example perChain(chain => networks[chain].title).SKALE_TESTNET */
export const perChain = <Value>(of: (chain: Chain) => Value): Record<Chain, Value> =>
  Object.fromEntries(chains.map(chain => [chain, of(chain)])) as Record<Chain, Value>
