import { networks } from '@carapace/chain'
import type { Config } from '@carapace/service'
import { signRequest } from '@slicekit/erc8128'
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

/** Headers that say who calls, and which call it is: nobody on the way may change them. */
const covered = ['x-agent-id', 'x-wallet-address', 'x-admin-wallet', 'idempotency-key']

export function signerOf(wallet: Wallet): Signer {
  const account = {
    address: wallet.address as `0x${string}`,
    chainId: networks.BASE_SEPOLIA.chainId,
    signMessage: async (message: Uint8Array) => (await wallet.signMessage(message)) as `0x${string}`,
  }
  return {
    wallet: wallet.address,
    fetch: async (input, init) => {
      const sent = new Headers(init?.headers)
      const { headers } = await signRequest(String(input), init, account, { components: covered.filter(name => sent.has(name)) })
      return fetch(input, { ...init, headers })
    },
  }
}
