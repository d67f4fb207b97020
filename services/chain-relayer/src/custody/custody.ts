import { HDNodeWallet, SigningKey } from 'ethers'
import type { mongo } from 'mongoose'
import type { SeedRecord, WalletRecord } from '../collections.ts'

/** The custodial keys: derived from one seed, used for signatures only; their addresses never send a transaction. */
export interface Custody {
  /** Address of key n; remembered, so that commands can name it. */
  address(n: number): Promise<string>
  /** @throws Error when the address is not a custodial one that was given out */
  sign(address: string, digest: string): Promise<string>
  /** Which of these are custodial addresses. */
  known(addresses: readonly string[]): Promise<ReadonlySet<string>>
}

const path = "m/44'/60'/0'/0"

/**
 * Opens the wallets of a seed. The address of n = 0 is kept; another seed than the one that was used first stops the start.
 * @throws Error when the seed is not the one of this database
 */
export async function openCustody(seed: Uint8Array, wallets: mongo.Collection<WalletRecord>, seeds: mongo.Collection<SeedRecord>): Promise<Custody> {
  const root = HDNodeWallet.fromSeed(seed).derivePath(path)
  const keys = new Map<string, SigningKey>()
  const derive = (n: number): string => {
    const child = root.deriveChild(n)
    keys.set(child.address, new SigningKey(child.privateKey))
    return child.address
  }

  const firstAddress = derive(0)
  await seeds.updateOne({ _id: 'seed' }, { $setOnInsert: { firstAddress, next: 0 } }, { upsert: true })
  const stored = await seeds.findOne({ _id: 'seed' })
  if (stored?.firstAddress !== firstAddress) {
    throw new Error(`the custody seed is not the one of this database: its first address is ${firstAddress}, expected ${stored?.firstAddress}`)
  }

  return {
    address: async n => {
      const address = derive(n)
      await wallets.updateOne({ _id: address }, { $setOnInsert: { n, address } }, { upsert: true })
      return address
    },
    sign: async (address, digest) => {
      if (!keys.has(address)) {
        const wallet = await wallets.findOne({ _id: address })
        if (!wallet) throw new Error(`${address} is not a custodial wallet`)
        derive(Number(wallet.n))
      }
      return keys.get(address)!.sign(digest).serialized
    },
    known: async addresses => {
      const found = await wallets.find({ _id: { $in: [...addresses] } }, { projection: { _id: 1 } }).toArray()
      return new Set(found.map(wallet => wallet._id))
    },
  }
}
