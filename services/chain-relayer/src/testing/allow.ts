import { contractInterface } from '@carapace/chain'
import { until } from '@carapace/testing'
import type { BaseWallet } from 'ethers'
import type { Kit } from './kit.ts'

const fees = { type: 2, chainId: 84532, gasLimit: 100_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }

/** Allows the escrow `amount` micro-USDC of a wallet whose next nonce is given, and waits until the chain says so. */
export async function allowEscrow({ rpc, devnet }: Kit, owner: BaseWallet, amount: bigint, nonce: number): Promise<void> {
  const token = contractInterface('USDC')
  const { USDC: to, Escrow: escrow } = devnet.addresses
  await rpc.call('anvil_setBalance', [owner.address, '0xde0b6b3a7640000'])
  const raw = await owner.signTransaction({ ...fees, nonce, to, data: token.encodeFunctionData('approve', [escrow, amount]) })
  await rpc.call('eth_sendRawTransaction', [raw])
  await until('allowed', async () => {
    const data = token.encodeFunctionData('allowance', [owner.address, escrow])
    return BigInt(String(await rpc.call('eth_call', [{ to, data }, 'latest']))) === amount
  })
}
