import { bytesOf, hexOf } from './bytes.ts'

/** A wallet that can sign a text (EIP-191). */
export interface Wallet {
  kind: 'practice' | 'browser'
  /** EIP-55 form. */
  address: string
  /** 65 bytes. */
  sign(text: Uint8Array): Promise<Uint8Array>
  /** Of a practice wallet: this page made it. */
  key?: Uint8Array
}

/** EIP-1193. */
interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
}
/** A wallet that announced itself to this page (EIP-6963). */
export interface Announced {
  info: { uuid: string; name: string }
  provider: Provider
}

/** Calls back with each wallet of this browser; an older one, which does not announce itself, counts where it is the only one. */
export function discoverWallets(found: (wallet: Announced) => void): void {
  const announced = new Set<string>()
  window.addEventListener('eip6963:announceProvider', event => {
    const { detail } = event as CustomEvent<Announced>
    if (announced.has(detail.info.uuid)) return
    announced.add(detail.info.uuid)
    found(detail)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  const { ethereum } = window as { ethereum?: Provider }
  if (announced.size === 0 && ethereum) found({ info: { uuid: '', name: 'the wallet of this browser' }, provider: ethereum })
}

/** Requests the address of a browser's wallet; it signs what it is given after its owner agrees. */
export async function browserWallet({ provider }: Announced): Promise<Wallet> {
  const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (address === undefined) throw new Error('The wallet gave no address')
  return walletOf(provider, address)
}

/** The same without a question to its owner: undefined where this page has not been trusted before. */
export async function connectedWallet({ provider }: Announced): Promise<Wallet | undefined> {
  const [address] = (await provider.request({ method: 'eth_accounts' })) as string[]
  return address === undefined ? undefined : walletOf(provider, address)
}

const walletOf = (provider: Provider, address: string): Wallet => ({
  kind: 'browser',
  address,
  sign: async text => {
    const signature = (await provider.request({ method: 'personal_sign', params: [`0x${hexOf(text)}`, address] })) as string
    return bytesOf(signature.slice(2))
  },
})
