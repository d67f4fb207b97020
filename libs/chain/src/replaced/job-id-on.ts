import type { Chain } from '@carapace/api'
import { jobIdOfKey } from '../keys.ts'
import type { NetworkReader } from '../network-reader.ts'
import { unlessFirst } from './first-contract.ts'

/**
 * The id of a commerce job by its key on a contract; on the first contract of a network by the key alone, as before there was another.
 * @throws DEPENDENCY_UNAVAILABLE
 */
export async function jobIdOn(networks: Pick<NetworkReader, 'everyContract'>, chain: Chain, key: string, contract: string): Promise<string> {
  return jobIdOfKey(chain, key, unlessFirst(await networks.everyContract(chain, 'commerce'), contract))
}
