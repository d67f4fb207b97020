import { readFile } from 'node:fs/promises'
import { signRequest } from '@slicekit/erc8128'
import { Wallet } from 'ethers'
import type { Send } from './relay.ts'

/** Where its wallet is known: any network of the platform, the signature is for the gateway alone. */
const chainId = 84_532

/**
 * The key in a file: hexadecimal, or an encrypted JSON keystore.
 * @throws Error that names the file and not what is in it
 */
export async function walletIn(file: string, password: string | undefined): Promise<Wallet> {
  const text = (await readFile(file, 'utf8')).trim()
  try {
    if (text.startsWith('{')) return (await Wallet.fromEncryptedJson(text, password ?? '')) as Wallet
    return new Wallet(text.startsWith('0x') ? text : `0x${text}`)
  } catch {
    throw new Error(`${file} holds neither a private key nor a keystore that CARAPACE_KEY_PASSWORD opens`)
  }
}

/** `fetch` with a signature by that wallet over method, address and body (ERC-8128). */
export const signedFetch =
  (wallet: Wallet): Send =>
  async (url, { signal, ...init }) => {
    const signer = {
      address: wallet.address as `0x${string}`,
      chainId,
      signMessage: async (message: string | Uint8Array) => (await wallet.signMessage(message)) as `0x${string}`,
    }
    return fetch(await signRequest(url, init, signer), { signal })
  }
