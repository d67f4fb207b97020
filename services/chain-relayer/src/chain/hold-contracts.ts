import type { Chain } from '@carapace/api'
import type { Addresses } from '@carapace/chain'
import type { mongo } from 'mongoose'
import { type Network, WrongNetwork } from './network.ts'

/** The contracts that a database's records of a network speak of. */
export interface ContractsRecord {
  _id: Chain
  genesis: string
  addresses: Partial<Addresses>
}

type Held = Pick<Network, 'chain' | 'devnet' | 'genesis' | 'addresses'>

/**
 * Stores the contracts of a network at the first start of a database. A later start needs the same ones: money that is locked in a contract is
 * paid from it only, and its logs are read at its address only. A devnet with another genesis has lost its contracts, and gets new ones.
 * @throws WrongNetwork that names the contracts with another address, and what to do
 */
export async function holdContracts(network: Held, contracts: mongo.Collection<ContractsRecord>): Promise<void> {
  const { chain, devnet, genesis, addresses } = network
  const present = { genesis, addresses }
  await contracts.updateOne({ _id: chain }, { $setOnInsert: present }, { upsert: true })
  const stored = (await contracts.findOne({ _id: chain }))!
  if (devnet && stored.genesis !== genesis) {
    await contracts.updateOne({ _id: chain }, { $set: present })
    return
  }
  const moved = movedOf(stored.addresses, addresses)
  if (moved.length) {
    throw new WrongNetwork(
      chain,
      `this database belongs to other contracts: ${moved.join(', ')}. Set ${chain}_ADDRESSES to the file of the former ones, or begin with an empty database`,
    )
  }
  // A contract that an earlier version did not have.
  await contracts.updateOne({ _id: chain }, { $set: { addresses } })
}

const movedOf = (stored: Partial<Addresses>, present: Addresses): string[] =>
  (Object.keys(stored) as (keyof Addresses)[])
    .filter(name => present[name] !== undefined && stored[name] !== present[name])
    .map(name => `${name} ${stored[name]}, not ${present[name]}`)
