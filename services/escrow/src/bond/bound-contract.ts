import { type Bond as BondView, chainRelayerApi } from '@carapace/api'
import { contractField, explorerOf, type NetworkReader, orFirst, unlessFirst } from '@carapace/chain'
import { baseUrlOf } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { type Bond, rememberedMs } from './bond.ts'

/** The contracts of a network that may have stake, oldest first: the last one gets new stake. @throws DEPENDENCY_UNAVAILABLE */
export const bondPlaces = ({ networks }: { networks: NetworkReader }, { chain }: Pick<Bond, 'chain'>): Promise<readonly string[]> =>
  networks.everyContract(chain, 'bond')

/**
 * Whether the next stake may be on any contract: the bond has none, nothing is under way, and nothing can come back. A slash can be paid back as long as
 * there is a record of it, by the contract that made it.
 */
const isUnbound = ({ free, slashed, locks, moves, done, direct, slashes = [] }: Bond, now: Date): boolean =>
  free === 0n &&
  slashed === 0n &&
  locks.length + moves.length + slashes.length === 0 &&
  [...done, ...(direct ? [direct.move] : [])].every(({ at }) => isForgotten(at, now))

const isForgotten = (at: Date, now: Date): boolean => now.getTime() - at.getTime() >= rememberedMs

/** The contract of a bond's next deposit. */
export const depositsOn = (bond: Bond, places: readonly string[], now: Date): string =>
  isUnbound(bond, now) ? places.at(-1)! : orFirst(places, bond.contract)

/** The Bond that has the stake, or that of the next deposit, and its page in the explorer. Null while the contracts are not known yet. */
export function shownContractOf({ networks, config, clock }: Parts, bond: Bond): Pick<BondView, 'contract' | 'contractUrl'> {
  const places = networks.cachedEveryContract(bond.chain, 'bond')
  const contract = places ? depositsOn(bond, places, clock.now()) : null
  return { contract, contractUrl: contract && explorerOf(networks, config, baseUrlOf(config)).contract(bond.chain, contract) }
}

/** Whether a contract is the one that the bond names. @param address undefined: the first */
export const isNamed = (bond: Pick<Bond, 'contract'>, address: string | undefined, places: readonly string[]): boolean =>
  bond.contract === unlessFirst(places, address)

/** The bond with its stake on a contract; undefined where it is on another one. @param address undefined: the first @param since as `directAfter` */
export function boundTo(bond: Bond, address: string | undefined, places: readonly string[], now: Date, since?: number): Bond | undefined {
  if (isNamed(bond, address, places)) return bond
  if (!isUnbound(bond, now)) return undefined
  const { contract: _, directAfter: __, direct: ___, ...rest } = bond
  return { ...rest, done: [], ...contractField(unlessFirst(places, address)), ...(since === undefined ? {} : { directAfter: since }) }
}

/**
 * What a contract has of a wallet, micro-USDC, and in which block: also what no bond here counts, because its owner deposited it while the stake was on
 * another one, or before the wallet was registered.
 * @param isFinal in the newest final block
 * @throws DEPENDENCY_UNAVAILABLE, CHAIN_UNAVAILABLE, NOT_FOUND for a contract that the relayer does not know
 */
export async function stakeOn(
  { peers }: Pick<Parts, 'peers'>,
  { chain, wallet }: Pick<Bond, 'chain' | 'wallet'>,
  at: string,
  isFinal = false,
): Promise<{ stake: bigint; blockNumber: number }> {
  const body = { contract: 'Bond' as const, fn: 'getAccount', args: [wallet], at, isFinal }
  const { result, blockNumber } = await peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain }, body })
  return { stake: stakeIn(result), blockNumber }
}

/**
 * The same of the wallets of several bonds in the newest final block, in their order.
 * @param bonds not more than `maxChainReads`
 */
export async function stakesOn(
  { peers }: Pick<Parts, 'peers'>,
  { chain, contract: at, bonds }: { chain: Bond['chain']; contract: string; bonds: readonly Pick<Bond, 'wallet'>[] },
): Promise<{ stakes: bigint[]; blockNumber: number }> {
  const body = { contract: 'Bond', fn: 'getAccount', calls: bonds.map(({ wallet }) => [wallet]), at, isFinal: true }
  const { results, blockNumber } = await peers.call('chain-relayer', chainRelayerApi.internal.chainReads, { params: { chain }, body })
  return { stakes: results.map(stakeIn), blockNumber }
}

/** Of an account as the contract answers it. */
function stakeIn(result: readonly unknown[]): bigint {
  const { free, locked } = result[0] as { free: string; locked: string }
  return BigInt(free) + BigInt(locked)
}
