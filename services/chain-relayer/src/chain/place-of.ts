import { refuse } from '@carapace/api'
import { type ContractName, everyAddress, toChecksum } from '@carapace/chain'
import type { Network } from './network.ts'

/** @param at a former contract of this name; default: the present one @throws NOT_FOUND where no contract of this name is, or was, at the address */
export function placeOf({ addresses, former }: Network, name: ContractName, at: string | undefined): string {
  if (at === undefined) return addresses[name]
  const to = toChecksum(at)
  return everyAddress(name, addresses, former).includes(to) ? to : refuse('NOT_FOUND', { resource: 'contract' })
}
