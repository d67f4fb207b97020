import { chainRelayerApi } from '@carapace/api'
import { networks } from '@carapace/chain'
import { TypedDataEncoder, verifyTypedData } from 'ethers'
import type { Agent } from '../agent.ts'
import type { Parts } from '../parts.ts'

export interface MigrationSignature {
  signature: string
  /** Unix seconds, wall clock. */
  deadline: number
}

const types = {
  Migration: [
    { name: 'source', type: 'string' },
    { name: 'target', type: 'string' },
    { name: 'deadline', type: 'uint256' },
  ],
}

/** What the wallet of the source signs: EIP-712 in the domain of the platform on the source's native network. */
export const migrationTypedData = (source: Pick<Agent, 'id' | 'preferredChain'>, target: Pick<Agent, 'id'>, deadline: number) => ({
  domain: { name: 'Carapace', version: '1', chainId: networks[source.preferredChain].chainId },
  types,
  message: { source: source.id, target: target.id, deadline },
})

/** Whether the source's wallet agreed: its own key, or its contract by ERC-1271. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export async function isConsent({ peers }: Parts, source: Agent, target: Agent, { signature, deadline }: MigrationSignature): Promise<boolean> {
  if (source.wallet === null || deadline * 1000 < Date.now()) return false
  const { domain, message } = migrationTypedData(source, target, deadline)
  if (signerOf(domain, message, signature) === source.wallet) return true
  const { valid } = await peers.call('chain-relayer', chainRelayerApi.internal.isValidSignature, {
    params: { chain: source.preferredChain },
    body: { wallet: source.wallet, hash: TypedDataEncoder.hash(domain, types, message), signature },
  })
  return valid
}

function signerOf(domain: object, message: Record<string, unknown>, signature: string): string | undefined {
  try {
    return verifyTypedData(domain, types, message, signature)
  } catch {
    // not a signature of a key; a contract may still accept it
    return undefined
  }
}
