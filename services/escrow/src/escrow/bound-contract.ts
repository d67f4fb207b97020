import { type NetworkReader, orFirst } from '@carapace/chain'
import type { Parts } from '../parts.ts'
import type { Escrow } from './escrow.ts'

type Bound = Pick<Escrow, 'chain' | 'contract' | 'lockRounds'>

/** The contract that holds an escrow's money, or will: the newest one as long as it is bound to none. @throws DEPENDENCY_UNAVAILABLE */
export async function contractOf({ networks }: Pick<Parts, 'networks'>, escrow: Bound): Promise<string> {
  const every = await networks.everyContract(escrow.chain, 'escrow')
  return boundAmong(escrow, every) ?? every.at(-1)!
}

/** The same if the contracts are known already. */
export function shownContractOf(networks: NetworkReader, escrow: Bound): string | null {
  const every = networks.cachedEveryContract(escrow.chain, 'escrow')
  if (!every) return escrow.contract ?? null
  return boundAmong(escrow, every) ?? every.at(-1)!
}

/**
 * Whether something on a contract may be an escrow's: it was opened there, or nowhere yet.
 * @param address undefined: the first contract
 * @param every the contracts of its network, oldest first
 */
export function mayBeOn(escrow: Bound, address: string | undefined, every: readonly string[]): boolean {
  const bound = boundAmong(escrow, every)
  return bound === undefined || bound === orFirst(every, address)
}

/** Before the contract was stored with an escrow, there was only one. */
const boundAmong = ({ contract, lockRounds }: Bound, every: readonly string[]): string | undefined =>
  contract === undefined && lockRounds === 0 ? undefined : orFirst(every, contract)
