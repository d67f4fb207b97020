import { setTimeout as sleep } from 'node:timers/promises'
import type { Wallet } from 'ethers'
import { call } from './rpc.ts'

export interface Sending {
  chainId: number
  nonce: number
  gasLimit: bigint
  /** Absent for the creation of a contract. */
  to?: string
  data: string
}

const pollMs = 1_000
const receiptTimeoutMs = 300_000

/**
 * Sends one transaction at twice the node's gas price and waits for its block.
 * @param name names it in errors
 * @throws Error when it reverts or is not mined within five minutes
 */
export async function sendMined(rpcUrl: string, wallet: Wallet, sending: Sending, name: string): Promise<void> {
  const gasPrice = BigInt(await call<string>(rpcUrl, 'eth_gasPrice')) * 2n
  const raw = await wallet.signTransaction({ type: 0, gasPrice, ...sending })
  const hash = await call<string>(rpcUrl, 'eth_sendRawTransaction', raw)
  const endsAt = performance.now() + receiptTimeoutMs
  while (performance.now() < endsAt) {
    const receipt = await call<{ status: string } | null>(rpcUrl, 'eth_getTransactionReceipt', hash)
    if (receipt?.status === '0x1') return
    if (receipt) throw new Error(`${name} reverted in ${hash}`)
    await sleep(pollMs)
  }
  throw new Error(`${name} was not mined within ${receiptTimeoutMs / 1000} s: ${hash}`)
}
