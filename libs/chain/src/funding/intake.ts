import type { Chain, Quote } from '@carapace/api'
import type { NetworkReader } from '../network-reader.ts'

/**
 * Where x402 payments for what the platform locks or registers go: the intake of the present key, and those of other ones that led, which a challenge of
 * before the exchange, or of another process, named.
 * @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE
 */
export async function intakeOf(networks: Pick<NetworkReader, 'lane' | 'everyLane'>, chain: Chain): Promise<Pick<Quote, 'payTo' | 'formerPayTo'>> {
  const payTo = await networks.lane(chain)
  // read again: another process may have offered an address already that this one does not know yet
  const formerPayTo = (await networks.everyLane(chain)).filter(address => address !== payTo)
  return { payTo, ...(formerPayTo.length > 0 ? { formerPayTo } : {}) }
}
