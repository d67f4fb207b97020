import { laneRoleCalls } from '@carapace/chain'
import { WrongNetwork } from '../../chain/network.ts'
import { resultOf } from '../../rpc/rpc.ts'
import type { LaneParts } from '../lane.ts'
import { addressesOf } from './network-leases.ts'

/**
 * Where keys were exchanged, the present one needs its roles first: without them every command would fail on chain.
 * @throws WrongNetwork that names the roles that it lacks
 */
export async function needRolesOfKey({ network, rpc, signer, db }: Pick<LaneParts, 'network' | 'rpc' | 'signer' | 'db'>): Promise<void> {
  const stored = await addressesOf(db, network.chain)
  if (stored.every(address => address === signer.address)) return
  const roles = laneRoleCalls(signer.address, network)
  const replies = await rpc.batch(roles.map(({ call }) => ({ method: 'eth_call', params: [call, 'latest'] })))
  const lacks = roles.filter((_, index) => Number(resultOf('eth_call', replies[index])) !== 1).map(({ name }) => name)
  if (lacks.length)
    throw new WrongNetwork(
      network.chain,
      `the key ${signer.address} cannot be used: it lacks ${lacks.join(', ')}. Grant them: npm run relayer:roles -- grant ${signer.address} <file of addresses>`,
    )
}
