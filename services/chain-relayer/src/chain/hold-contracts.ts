import type { Chain } from '@carapace/api'
import { type Addresses, type ContractName, everyAddress, type Former, replaceableContracts } from '@carapace/chain'
import type { mongo } from 'mongoose'
import { type Network, WrongNetwork } from './network.ts'

/** The contracts that a database's records of a network speak of. */
export interface ContractsRecord {
  _id: Chain
  genesis: string
  addresses: Partial<Addresses>
  /** Where records may be besides, oldest first. */
  former?: Former
}

type Held = Pick<Network, 'chain' | 'devnet' | 'genesis' | 'addresses' | 'former'>

/**
 * Stores the contracts of a network at the first start of a database. A later start needs the same ones: money that is locked in a contract is
 * paid from it only, and its logs are read at its address only. One that is replaceable may have a new address where the file names the earlier ones,
 * too. A devnet with another genesis has lost its contracts, and gets new ones.
 * @param needUsable throws where a contract that no record is on yet cannot be used
 * @throws WrongNetwork that names the contracts with another address, and what to do
 */
export async function holdContracts(
  network: Held,
  contracts: mongo.Collection<ContractsRecord>,
  needUsable: (names: readonly ContractName[]) => Promise<void>,
): Promise<void> {
  const { chain, devnet, genesis, addresses, former } = network
  const present = { genesis, addresses, former }
  await contracts.updateOne({ _id: chain }, { $setOnInsert: present }, { upsert: true })
  const stored = (await contracts.findOne({ _id: chain }))!
  if (devnet && stored.genesis !== genesis) {
    await contracts.updateOne({ _id: chain }, { $set: present })
    return
  }
  const changes = changesOf(stored, network)
  if (changes.wrong.length) {
    throw new WrongNetwork(
      chain,
      `this database belongs to other contracts: ${changes.wrong.join(', ')}. Set ${chain}_ADDRESSES to the file of the former ones, or begin with an empty database`,
    )
  }
  if (changes.unnamed.length)
    throw new WrongNetwork(chain, `records are on contracts that ${chain}_ADDRESSES does not name: add ${changes.unnamed.join(', ')} to its "former"`)
  if (changes.replaced.length) await needUsable(changes.replaced)
  // A contract that an earlier version did not have, or one that replaces another.
  await contracts.updateOne({ _id: chain }, { $set: { addresses, former } })
}

function changesOf(stored: ContractsRecord, present: Held) {
  const changes = { wrong: [] as string[], unnamed: [] as string[], replaced: [] as ContractName[] }
  for (const name of Object.keys(stored.addresses) as ContractName[]) {
    if (present.addresses[name] === undefined) continue
    const before = everyAddress(name, stored.addresses, stored.former ?? {})
    const now = everyAddress(name, present.addresses, present.former)
    const lost = before.filter((address, at) => now[at] !== address)
    if (lost.length === 0 && now.length === before.length) continue
    if (!isReplaceable(name)) changes.wrong.push(`${name} ${stored.addresses[name]}, not ${present.addresses[name]}`)
    else if (lost.length) changes.unnamed.push(`${name} ${before.join(' ')}`)
    else changes.replaced.push(name)
  }
  return changes
}

const isReplaceable = (name: ContractName): boolean => replaceableContracts.some(one => one === name)
