import type { Collections } from '../collections.ts'
import type { LaneParts } from '../lane.ts'
import { isHeld } from '../lease.ts'

type Own = Pick<LaneParts, 'db' | 'id' | 'network' | 'isAlone'>

/** The lane of another key under which a network is led now, by a process that does not know that key as the former one. */
export async function ledUnderOtherKey({ db, id, network, isAlone = false }: Own): Promise<string | undefined> {
  const all = await db.leases.find(leasesOf(network.chain)).toArray()
  return all.find(lease => lease._id !== id && lease.retiring !== true && isHeld(lease, new Date(), isAlone))?._id
}

/** The address that receives the commands of a network: while a process leads it under another key, that one. */
export async function leadingAddress({ signer, ...own }: Own & Pick<LaneParts, 'signer'>): Promise<string> {
  const other = await ledUnderOtherKey(own)
  return other === undefined ? signer.address : addressIn(other)
}

/** The addresses of all keys that were ever to lead a network. */
export async function addressesOf({ leases }: Pick<Collections, 'leases'>, chain: string): Promise<string[]> {
  const all = await leases.find(leasesOf(chain), { projection: { _id: 1 } }).toArray()
  return all.map(({ _id }) => addressIn(_id))
}

/** @example addressIn('BASE_SEPOLIA:0x1a…') // '0x1a…' */
export const addressIn = (lane: string): string => lane.slice(lane.indexOf(':') + 1)

/** Ids from the network's name with a colon up to it with the character after the colon. */
const leasesOf = (chain: string) => ({ _id: { $gte: `${chain}:`, $lt: `${chain};` } })
