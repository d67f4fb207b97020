import type { Chain } from '@carapace/api'
import { jobIdOfKey } from './keys.ts'
import type { NetworkReader } from './network-reader.ts'

/**
 * The id of a commerce job by its key on a contract; on the first contract of a network by the key alone, as before there was another.
 * @throws DEPENDENCY_UNAVAILABLE
 */
export async function jobIdOn(networks: Pick<NetworkReader, 'everyContract'>, chain: Chain, key: string, contract: string): Promise<string> {
  const [first] = await networks.everyContract(chain, 'commerce')
  return jobIdOfKey(chain, key, contract === first ? undefined : contract)
}
