import { setTimeout as sleep } from 'node:timers/promises'
import { Wallet } from 'ethers'
import { requireOurCode } from './code.ts'
import type { Deployment } from './devnet.ts'
import { type Authorities, planDeployment, type Step } from './plan.ts'
import { call, callAll } from './rpc.ts'

export interface RealDeployment extends Authorities {
  rpcUrl: string
  /** The chain that is meant: another one is refused. */
  chainId: number
  /** Private key of a funded account without transactions. The same key gives the same addresses on every network. */
  deployerKey: string
  timelockDelaySeconds: number
  baseUrl: string
}

const pollMs = 1_000
const receiptTimeoutMs = 300_000

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
export async function create(rpcUrl: string, wallet: Wallet, step: Step, chainId: number): Promise<void> {
  const gasPrice = BigInt(await call<string>(rpcUrl, 'eth_gasPrice')) * 2n
  const raw = await wallet.signTransaction({ type: 0, chainId, nonce: step.nonce, gasPrice, gasLimit: step.gasLimit, data: step.initCode })
  const hash = await call<string>(rpcUrl, 'eth_sendRawTransaction', raw)
  const endsAt = performance.now() + receiptTimeoutMs
  while (performance.now() < endsAt) {
    const receipt = await call<{ status: string } | null>(rpcUrl, 'eth_getTransactionReceipt', hash)
    if (receipt?.status === '0x1') return
    if (receipt) throw new Error(`${step.name} reverted in ${hash}`)
    await sleep(pollMs)
  }
  throw new Error(`${step.name} was not mined within ${receiptTimeoutMs / 1000} s: ${hash}`)
}
