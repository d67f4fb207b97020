import { signingFetch } from '@carapace/client'
import type { Config } from '@carapace/service'
import { Wallet } from 'ethers'
import { existingKey } from './keys.ts'

/** Somebody that signs its requests (ERC-8128). */
export interface Signer {
  wallet: string
  fetch: typeof fetch
}

/** Signs with DOCTOR_KEY, else with the oracle's key of this data folder; undefined where there is neither. */
export async function findSigner(config: Pick<Config, 'DOCTOR_KEY' | 'DATA_DIR'>): Promise<Signer | undefined> {
  const key = config.DOCTOR_KEY ?? (await existingKey(config.DATA_DIR, 'oracle'))
  return key === undefined ? undefined : signerOf(new Wallet(key))
}

export const signerOf = (wallet: Wallet): Signer => ({ wallet: wallet.address, fetch: signingFetch(fetch, wallet) })
