import type { Chain } from '@carapace/api'
import { oracleKey, type Player, type System } from '@carapace/testing'
import { Interface, type JsonRpcProvider, parseEther, toBeHex, toQuantity, Wallet } from 'ethers'

const calls = new Interface([
  'function pause()',
  'function unpause()',
  'function approve(address spender, uint256 amount)',
  'function withdraw(uint256 amount)',
  'function claimRefund(uint256 jobId)',
  'function prefund(bytes32 key, uint256 amount)',
  'function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook)',
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 tokenId)',
])

/** Of a platform whose newest blocks a test replaces: two blocks later they are final. */
export const reversibleBlocks = { heartbeatMs: 1_000 }

/** Replaces the blocks from this one on; the transactions come first in the new ones. Two blocks later that one is final, so this comes immediately. */
export async function reorganise({ networks }: System, chain: Chain, blockNumber: number, transactions: readonly string[] = []): Promise<void> {
  const { provider } = networks[chain]
  const hashOfIt = async () => (await provider.send('eth_getBlockByNumber', [toQuantity(blockNumber), false])).hash as string
  const replaced = await hashOfIt()
  const first = transactions.map(transaction => [transaction, 0])
  // a block that is made after the depth was read prevents that this one is replaced
  do await provider.send('anvil_reorg', [await depthOf(provider, blockNumber), first])
  while ((await hashOfIt()) === replaced)
}

/** Blocks from this one to the newest as the node has it now: the provider remembers its answer for a while. */
export const depthOf = async (provider: JsonRpcProvider, blockNumber: number): Promise<number> =>
  Number(await provider.send('eth_blockNumber', [])) - blockNumber + 1

/** The wallet that may pause contracts, with gas. */
export async function pauserOf(system: System, chain: Chain): Promise<Pick<Player, 'wallet'>> {
  const pauser = { wallet: new Wallet(oracleKey) }
  await fundWithGas(system, chain, pauser)
  return pauser
}

export const fundWithGas = ({ networks }: System, chain: Chain, { wallet }: Pick<Player, 'wallet'>): Promise<unknown> =>
  networks[chain].provider.send('anvil_setBalance', [wallet.address, toBeHex(parseEther('1'))])

/** A transaction of the player's own, paid so that it comes first. @param nonce default: the next one */
export async function signedCall(
  { networks }: System,
  chain: Chain,
  { wallet }: Pick<Player, 'wallet'>,
  to: string,
  call: string,
  values: readonly unknown[],
  nonce?: number,
): Promise<string> {
  const { provider, chainId } = networks[chain]
  const data = calls.encodeFunctionData(call, values)
  const { gasPrice } = await provider.getFeeData()
  const next = nonce ?? (await provider.getTransactionCount(wallet.address))
  return wallet.signTransaction({ to, data, nonce: next, chainId, gasLimit: 400_000, gasPrice: gasPrice! * 2n, type: 0 })
}
