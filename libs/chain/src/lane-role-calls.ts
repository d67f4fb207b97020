import { type LaneRole, laneRoles } from '@carapace/contracts'
import { contractInterface } from './abi.ts'
import { type Addresses, everyAddress, type Former } from './contract-names.ts'
import type { EncodedCall } from './encode.ts'

/** A view call that answers whether a key has a role. */
export interface LaneRoleCall {
  /** @example 'OPERATOR on Escrow 0x…' */
  name: string
  call: EncodedCall
}

/** The calls that answer which of its roles a relayer key has, on replaced contracts, too. */
export function laneRoleCalls(key: string, network: { addresses: Addresses; former: Former; devnet: boolean }): LaneRoleCall[] {
  return laneRoles(network.devnet ? 'devnet' : 'real').flatMap(role => callsOf(role, key, network))
}

function callsOf({ contract, role, hash }: LaneRole, key: string, { addresses, former }: { addresses: Addresses; former: Former }): LaneRoleCall[] {
  const name = contract === 'DevUSDC' ? 'USDC' : (contract as keyof Addresses)
  const data = contractInterface(name).encodeFunctionData('hasRole', [hash, key])
  return everyAddress(name, addresses, former).map(to => ({ name: `${role} on ${name} ${to}`, call: { to, data } }))
}
