import { computeAddress, HDNodeWallet, SigningKey } from 'ethers'
import { mongo } from 'mongoose'
import { isPrivate, signRecoverable } from 'tiny-secp256k1'

/** A custodial wallet; _id = its owner, as the requesting service names it. */
export interface WalletRecord {
  _id: string
  n: number
  address: string
}
export interface SeedRecord {
  _id: 'seed'
  /** Address of n = 0: a changed seed prevents the start. */
  firstAddress: string
  /** Last n given out. */
  last: number
}

/** The custodial keys: derived from one seed, used for signatures only; their addresses never send a transaction. */
export interface Custody {
  /** The owner's address, the same on every network; made at the first call. */
  walletOf(owner: string): Promise<{ address: string; created: boolean }>
  /** @throws Error when the address was not given out here */
  sign(address: string, digest: string): Promise<string>
  /** Which of these are custodial addresses. */
  ownAmong(addresses: readonly string[]): Promise<ReadonlySet<string>>
}

const path = "m/44'/60'/0'/0"
const duplicateKey = 11000

/**
 * Opens the wallets of a seed. The address of n = 0 is stored; a seed other than the first one prevents the start.
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
  await seeds.updateOne({ _id: 'seed' }, { $setOnInsert: { firstAddress, last: 0 } }, { upsert: true })
  const stored = await seeds.findOne({ _id: 'seed' })
  if (stored?.firstAddress !== firstAddress) {
    throw new Error(`the custody seed is not the one of this database: its first address is ${firstAddress}, expected ${stored?.firstAddress}`)
  }

  return {
    walletOf: async owner => {
      const stored = await wallets.findOne({ _id: owner })
      if (stored) return { address: stored.address, created: false }
      const counter = await seeds.findOneAndUpdate({ _id: 'seed' }, { $inc: { last: 1 } }, { returnDocument: 'after' })
      const n = Number(counter!.last)
      const address = derive(n)
      try {
        await wallets.insertOne({ _id: owner, n, address })
        return { address, created: true }
      } catch (error) {
        if (!(error instanceof mongo.MongoServerError) || error.code !== duplicateKey) throw error
        // Two concurrent calls: the other one was first, this n stays unused.
        return { address: (await wallets.findOne({ _id: owner }))!.address, created: false }
      }
    },
    sign: async (address, digest) => {
      if (!keys.has(address)) {
        const wallet = await wallets.findOne({ address })
        if (!wallet) throw new Error(`${address} is not a custodial wallet`)
        derive(Number(wallet.n))
      }
      return keys.get(address)!.sign(digest).serialized
    },
    ownAmong: async addresses => {
      const found = await wallets.find({ address: { $in: [...addresses] } }, { projection: { address: 1 } }).toArray()
      return new Set(found.map(wallet => wallet.address))
    },
  }
}

/** Holds one key and signs digests with it. The key never leaves it: not in logs, events or errors. A key service has the same face. */
export interface Signer {
  readonly address: string
  /** 65-byte signature (r, s, v = 27 or 28; deterministic, low s) of a 32-byte digest, hex. */
  sign(digest: string): Promise<string>
}

/** A key in memory. @throws Error without the key's text when it is not a private key */
export function localSigner(privateKey: string): Signer {
  const key = Buffer.from(/^0x[0-9a-fA-F]{64}$/.test(privateKey) ? privateKey.slice(2) : '', 'hex')
  if (key.length !== 32 || !isPrivate(key)) throw new Error('the relayer key is not a private key')
  return {
    address: computeAddress(privateKey),
    sign: async digest => {
      const { signature, recoveryId } = signRecoverable(Buffer.from(digest.slice(2), 'hex'), key)
      return `0x${Buffer.from(signature).toString('hex')}${recoveryId === 0 ? '1b' : '1c'}`
    },
  }
}
