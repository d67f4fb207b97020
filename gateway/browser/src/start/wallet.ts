import { getPublicKey, signAsync, utils } from '../vendor/secp256k1.js'
import { keccak_256 } from '../vendor/sha3.js'

/** A wallet that can sign a text (EIP-191). */
export interface Wallet {
  kind: 'practice' | 'browser'
  /** EIP-55 form. */
  address: string
  /** 65 bytes. */
  sign(text: Uint8Array): Promise<Uint8Array>
}

/** The wallet of a key that this page made: for networks whose money is worth nothing. */
export function practiceWallet(key: Uint8Array): Wallet {
  const hash = keccak_256(getPublicKey(key, false).slice(1))
  return {
    kind: 'practice',
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

export const hexOf = (bytes: Uint8Array): string => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
export const bytesOf = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))

/** EIP-55: hex digits of an address are in upper case where its hash says so. */
function checksummed(hex: string): string {
  const hash = hexOf(keccak_256(new TextEncoder().encode(hex)))
  return `0x${[...hex].map((digit, i) => (Number.parseInt(hash[i]!, 16) > 7 ? digit.toUpperCase() : digit)).join('')}`
}

interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
}
/** A wallet that announced itself to this page (EIP-6963). */
export interface Announced {
  info: { uuid: string; name: string }
  provider: Provider
}

/** Calls back with each wallet of this browser. */
export function discoverWallets(found: (wallet: Announced) => void): void {
  const known = new Set<string>()
  window.addEventListener('eip6963:announceProvider', event => {
    const { detail } = event as CustomEvent<Announced>
    if (known.has(detail.info.uuid)) return
    known.add(detail.info.uuid)
    found(detail)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
}

/** Requests the address of a browser's wallet; it signs what it is given after its owner agrees. */
export async function browserWallet({ provider }: Announced): Promise<Wallet> {
  const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (address === undefined) throw new Error('The wallet gave no address')
  return {
    kind: 'browser',
    address,
    sign: async text => {
      const signature = (await provider.request({ method: 'personal_sign', params: [`0x${hexOf(text)}`, address] })) as string
      return bytesOf(signature.slice(2))
    },
  }
}
