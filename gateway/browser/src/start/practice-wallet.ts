import { hexOf } from '../sign/bytes.ts'
import type { Wallet } from '../sign/wallet.ts'
import { getPublicKey, signAsync, utils } from '../vendor/secp256k1.js'
import { keccak_256 } from '../vendor/sha3.js'

/** The wallet of a key that this page made: for networks whose money is worth nothing. */
export function practiceWallet(key: Uint8Array): Wallet {
  const hash = keccak_256(getPublicKey(key, false).slice(1))
  return {
    kind: 'practice',
    key,
    address: checksummed(hexOf(hash.slice(12))),
    sign: async text => {
      const signature = await signAsync(personal(text), key, { prehash: false, format: 'recovered' })
      // noble puts the recovery bit first, Ethereum 27 plus it last
      return new Uint8Array([...signature.slice(1), signature[0]! + 27])
    },
  }
}

export const newKey = (): Uint8Array => utils.randomSecretKey()

/** keccak256 of a text as personal_sign hashes it. */
function personal(text: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`\u0019Ethereum Signed Message:\n${text.length}`)
  return keccak_256(new Uint8Array([...head, ...text]))
}

/** EIP-55: hex digits of an address are in upper case where its hash says so. */
function checksummed(hex: string): string {
  const hash = hexOf(keccak_256(new TextEncoder().encode(hex)))
  return `0x${[...hex].map((digit, i) => (Number.parseInt(hash[i]!, 16) > 7 ? digit.toUpperCase() : digit)).join('')}`
}
