import { type Chain, type ChainLog, chainEventRemoved, contractEvents } from '@carapace/api'
import { paymentNonce, toChecksum } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import type { Harness } from './harness.ts'

export const contracts = { escrow: newWallet(), commerce: newWallet(), bond: newWallet() }
export const lane = newWallet()
export const usdc = (whole: number): bigint => BigInt(Math.round(whole * 1e6))

export interface PayArgs {
  paymentId: string
  from: string
  to: string
  amount: string
  /** Of an authorisation that its payer signed; default: that of a payment out of a custodial wallet. */
  nonce?: string
}

const log = (contract: string, event: string, args: Record<string, unknown>, logIndex: number): ChainLog => ({
  contract,
  event,
  args,
  address: newWallet(),
  logIndex,
})
/** What a payment leaves in the logs of its transaction. */
export const transferLogs = ({ paymentId, from, to, amount, nonce = paymentNonce(paymentId) }: PayArgs, firstIndex = 0) => [
  log('USDC', 'AuthorizationUsed', { authorizer: from, nonce }, firstIndex),
  log('USDC', 'Transfer', { from, to, value: String(amount) }, firstIndex + 1),
]

export const balanceOf = (harness: Harness, chain: Chain, address: string): bigint => harness.balances.get(`${chain}/${toChecksum(address)}`) ?? 0n

export function move(harness: Harness, chain: Chain, from: string, to: string, amount: bigint): void {
  harness.balances.set(`${chain}/${toChecksum(from)}`, balanceOf(harness, chain, from) - amount)
  harness.balances.set(`${chain}/${toChecksum(to)}`, balanceOf(harness, chain, to) + amount)
}

export interface Seen {
  chain?: Chain
  from?: string
  to: string
  amount: bigint
  txHash?: string
  blockHash?: string
  logIndex?: number
  /** undefined: as announced before positions were published */
  logPosition?: number | undefined
  final?: boolean
}

/** A transfer log as the chain has it. */
export function transferLog({ from = `0x${'0'.repeat(40)}`, to, amount, logIndex = 0, ...seen }: Seen): ChainLog {
  const logPosition = 'logPosition' in seen ? seen.logPosition : logIndex
  return { ...log('USDC', 'Transfer', { from, to, value: String(amount) }, logIndex), ...(logPosition === undefined ? {} : { logPosition }) }
}

function placed(seen: Seen) {
  const { chain = 'BASE_SEPOLIA', txHash = newHash(), blockHash = newHash() } = seen
  const one = transferLog(seen)
  return { ...one, logId: `${chain}:${blockHash}:${one.logIndex}`, network: chain, txHash, blockNumber: 5, blockHash, blockTime: 1 }
}

/** A transfer log as the relayer announces it. */
export async function publishTransfer({ platform }: Harness, seen: Seen): Promise<void> {
  await platform.publish(contractEvents['USDC.Transfer']!.of({ ...placed(seen), final: seen.final ?? true }))
}

/** The block of a transfer is dropped, as the relayer announces it. */
export async function publishDropped({ platform }: Harness, seen: Seen): Promise<void> {
  await platform.publish(chainEventRemoved.of(placed(seen)))
}

/** New money that comes into an address, on chain and published as final. */
export async function deposit(harness: Harness, to: string, amount: bigint, chain: Chain = 'BASE_SEPOLIA'): Promise<void> {
  harness.balances.set(`${chain}/${toChecksum(to)}`, balanceOf(harness, chain, to) + amount)
  await publishTransfer(harness, { chain, to, amount })
}
