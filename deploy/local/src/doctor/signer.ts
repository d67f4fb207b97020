import { networks } from '@carapace/chain'
import type { Config } from '@carapace/service'
import { createSignerClient } from '@slicekit/erc8128'
import { Wallet } from 'ethers'
import { existingKey } from '../keys.ts'

/** An admin that signs its requests (ERC-8128). */
export interface Signer {
  wallet: string
  fetch: typeof fetch
}

/** Signs with DOCTOR_KEY, else with the oracle's key of this data folder; undefined where there is neither. */
export async function findSigner(config: Pick<Config, 'DOCTOR_KEY' | 'DATA_DIR'>): Promise<Signer | undefined> {
  const key = config.DOCTOR_KEY ?? (await existingKey(config.DATA_DIR, 'oracle'))
  return key === undefined ? undefined : signerOf(key)
}

function signerOf(privateKey: string): Signer {
  const wallet = new Wallet(privateKey)
  const { fetch } = createSignerClient(
    {
      address: wallet.address as `0x${string}`,
      chainId: networks.BASE_SEPOLIA.chainId,
      signMessage: async message => (await wallet.signMessage(message)) as `0x${string}`,
    },
    { components: ['x-admin-wallet'] },
  )
  return { wallet: wallet.address, fetch: fetch as Signer['fetch'] }
}
