import { readFile } from 'node:fs/promises'
import { Wallet } from 'ethers'

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
