import type { Collections } from '../collections.ts'
import type { LaneParts } from '../lane.ts'
import { isHeld, type LeaseRecord } from '../lease.ts'

type Own = Pick<LaneParts, 'db' | 'id' | 'network' | 'isAlone'>

/** The lane of another key that a process holds as its present one: it leads the network, or begins to. */
export async function heldUnderOtherKey(own: Own): Promise<string | undefined> {
  return (await presentLeases(own)).find(({ _id }) => _id !== own.id)?._id
}

/** The lane of another key under which a network is led now. */
export async function ledUnderOtherKey(own: Own): Promise<string | undefined> {
  return (await presentLeases(own)).find(({ _id, beginning }) => _id !== own.id && beginning !== true)?._id
}

/** Whether a process leads under that lane, and not as that of a former key. */
export async function isLed(lane: string, own: Own): Promise<boolean> {
  return (await presentLeases(own)).some(({ _id, beginning }) => _id === lane && beginning !== true)
}

async function presentLeases({ db, network, isAlone = false }: Own): Promise<LeaseRecord[]> {
  const all = await db.leases.find({ _id: lanesOf(network.chain) }).toArray()
  return all.filter(lease => lease.retiring !== true && isHeld(lease, new Date(), isAlone))
}

/** The address that receives the commands of a network: while a process leads it under another key, that one. */
export async function leadingAddress({ signer, ...own }: Own & Pick<LaneParts, 'signer'>): Promise<string> {
  const other = await ledUnderOtherKey(own)
  return other === undefined ? signer.address : addressIn(other)
}

/** The addresses of all keys that were ever to lead a network. */
export async function addressesOf({ leases }: Pick<Collections, 'leases'>, chain: string): Promise<string[]> {
  const all = await leases.find({ _id: lanesOf(chain) }, { projection: { _id: 1 } }).toArray()
  return all.map(({ _id }) => addressIn(_id))
}

/** @example addressIn('BASE_SEPOLIA:0x1a…') // '0x1a…' */
export const addressIn = (lane: string): string => lane.slice(lane.indexOf(':') + 1)

/** Ids from the network's name with a colon up to it with the character after the colon. */
export const lanesOf = (chain: string) => ({ $gte: `${chain}:`, $lt: `${chain};` })
