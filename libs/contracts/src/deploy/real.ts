import { Wallet } from 'ethers'
import { requireOurCode } from './code.ts'
import type { Deployment } from './devnet.ts'
import { type Authorities, planDeployment, type Step } from './plan.ts'
import { call, callAll } from './rpc.ts'
import { sendMined } from './send.ts'

export interface RealDeployment extends Authorities {
  rpcUrl: string
  /** The chain that is meant: another one is refused. */
  chainId: number
  /** Private key of a funded account without transactions. The same key gives the same addresses on every network. */
  deployerKey: string
  timelockDelaySeconds: number
  baseUrl: string
}

/**
 * Deploys to a real network, one transaction after the other, and compares the code of every contract with ours. Run again
 * after an interruption it continues where it stopped; a run after the end only compares.
 * @throws Error on another chain id, without USDC at its address, on foreign code, on a reverted transaction.
 */
export async function deployReal(options: RealDeployment): Promise<Deployment> {
  const { rpcUrl, chainId } = options
  const wallet = new Wallet(options.deployerKey)
  const plan = planDeployment({ ...options, deployer: wallet.address, profile: 'real' })
  const id = await call<string>(rpcUrl, 'eth_chainId')
  if (Number(id) !== chainId) throw new Error(`the node has chain id ${Number(id)}, not ${chainId}`)
  await requireUsdc(rpcUrl, plan.addresses.DevUSDC)
  const [block, nonce] = await callAll(rpcUrl, [['eth_blockNumber'], ['eth_getTransactionCount', wallet.address, 'latest']])
  const count = Number(nonce)
  await requireOurCode(rpcUrl, plan.steps.slice(0, count))
  for (const step of plan.steps.slice(count)) await create(rpcUrl, wallet, step, chainId)
  await requireOurCode(rpcUrl, plan.steps)
  return { chainId, addresses: plan.addresses, startBlock: count === 0 ? Number(block) : null }
}

async function requireUsdc(rpcUrl: string, usdc: string): Promise<void> {
  const decimals = '0x313ce567'
  const answer = await call<string>(rpcUrl, 'eth_call', { to: usdc, data: decimals }, 'latest')
  if (answer === '0x' || Number(answer) !== 6) throw new Error(`no USDC at ${usdc}`)
}

/** Sends one creation and waits for its block. @throws Error when it reverts or is not mined within five minutes */
export const create = (rpcUrl: string, wallet: Wallet, { name, nonce, gasLimit, initCode }: Step, chainId: number): Promise<void> =>
  sendMined(rpcUrl, wallet, { chainId, nonce, gasLimit, data: initCode }, name)
