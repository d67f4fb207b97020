import { toChecksum } from '@carapace/chain'
import { AbiCoder, recoverAddress } from 'ethers'
import { RpcRefused } from '../rpc/rpc.ts'

const abi = AbiCoder.defaultAbiCoder()
/** ERC-1271 isValidSignature(bytes32,bytes), which is also the positive answer. */
const magic = '0x1626ba7e'
type Query = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Whether `signature` over `hash` is the wallet's: by its key, or by its contract's answer (ERC-1271). */
export async function verifySignature(query: Query, wallet: string, hash: string, signature: string, tag: string): Promise<boolean> {
  if (signerOf(hash, signature) === toChecksum(wallet)) return true
  const code = await query('eth_getCode', [wallet, tag])
  if (!code || code === '0x') return false
  const data = magic + abi.encode(['bytes32', 'bytes'], [hash, signature]).slice(2)
  try {
    const answer = String(await query('eth_call', [{ to: wallet, data }, tag]))
    return answer.length >= 66 && answer.slice(0, 10) === magic
  } catch (error) {
    if (error instanceof RpcRefused) return false
    throw error
  }
}

function signerOf(hash: string, signature: string): string | undefined {
  try {
    return recoverAddress(hash, signature)
  } catch {
    return undefined
  }
}
