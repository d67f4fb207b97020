import { Wallet } from 'ethers'
import type { Addresses } from '../address.ts'
import { requireOurCode } from './code.ts'
import { type Authorities, type Plan, planDeployment, type Step } from './plan.ts'
import { type Call, call, callAll, type Node } from './rpc.ts'

export interface DevnetDeployment extends Authorities {
  /** The anvil: its address, or a function that makes one call to it. */
  rpcUrl: Node
  chainId: number
  /** Private key of the deployer: an account without transactions. The same key gives the same addresses on every devnet. */
  deployerKey: string
  /** Default: 60 seconds. */
  timelockDelaySeconds?: number
  /** Default: http://127.0.0.1:3000. */
  baseUrl?: string
}

export interface Deployment {
  chainId: number
  addresses: Addresses
  /** A block before all events of these contracts; null when another run began the deployment. */
  startBlock: number | null
}

const deployerBalance = '0x3635c9adc5dea00000'
const maxBlocks = 20

/**
 * Puts all contracts onto an anvil, in any mining mode, in under a second. What is already there stays; a deployment that was
 * cut short is finished.
 * @throws Error on another chain id, or when the deployer's account was used for something else.
 * @example const { addresses } = await deployDevnet({ rpcUrl, chainId: 84532, deployerKey, operator, pauser, proposers: [admin] })
 */
export async function deployDevnet(options: DevnetDeployment): Promise<Deployment> {
  const { rpcUrl, chainId } = options
  const wallet = new Wallet(options.deployerKey)
  const plan = planOf(options, wallet)
  const [id, gasPrice, count] = await callAll(rpcUrl, [['eth_chainId'], ['eth_gasPrice'], ['eth_getTransactionCount', wallet.address, 'latest']])
  if (Number(id) !== chainId) throw new Error(`the node has chain id ${Number(id)}, not ${chainId}`)
  // Planted contracts of an unfinished deployment may still show their creation code: they are compared in the end.
  const created = plan.steps.slice(0, Number(count)).filter(s => s.kind === 'create')
  await requireOurCode(rpcUrl, created)
  const missing = plan.steps.slice(Number(count))
  if (missing.length > 0) await send(rpcUrl, wallet, missing, chainId, BigInt(gasPrice as string))
  await uncover(rpcUrl, plan)
  await requireOurCode(rpcUrl, plan.steps)
  return { chainId, addresses: plan.addresses, startBlock: 0 }
}

/**
 * Holds a devnet that was deployed earlier against the contracts of this version.
 * @throws Error that names those with other code
 */
export async function checkDevnet(options: DevnetDeployment): Promise<void> {
  await requireOurCode(options.rpcUrl, planOf(options, new Wallet(options.deployerKey)).steps)
}

function planOf(options: DevnetDeployment, { address: deployer }: Wallet): Plan {
  const { timelockDelaySeconds = 60, baseUrl = 'http://127.0.0.1:3000' } = options
  return planDeployment({ ...options, deployer, timelockDelaySeconds, baseUrl, profile: 'devnet' })
}

async function send(rpcUrl: Node, wallet: Wallet, steps: readonly Step[], chainId: number, gasPrice: bigint): Promise<void> {
  const setup: Call[] = steps.filter(s => s.kind === 'plant').map(s => ['anvil_setCode', s.address, s.initCode])
  // A network without gas price accepts transactions from an empty account.
  if (gasPrice > 0n) setup.push(['anvil_setBalance', wallet.address, deployerBalance])
  await callAll(rpcUrl, setup)
  const signed = await Promise.all(steps.map(step => wallet.signTransaction(transactionOf(step, chainId, gasPrice * 4n))))
  const hashes = await callAll(
    rpcUrl,
    signed.map(raw => ['eth_sendRawTransaction', raw]),
  )
  const receipts = await mine(rpcUrl, hashes as string[])
  const failed = steps.filter((_, i) => receipts[i]?.status !== '0x1')
  if (failed.length > 0) throw new Error(`deployment failed: ${failed.map(s => s.name).join(', ')}`)
}

function transactionOf(step: Step, chainId: number, gasPrice: bigint): Parameters<Wallet['signTransaction']>[0] {
  const common = { type: 0, chainId, nonce: step.nonce, gasPrice, gasLimit: step.gasLimit }
  return step.kind === 'create' ? { ...common, data: step.initCode } : { ...common, to: step.address }
}

interface Receipt {
  status: string
}

/** Requests blocks until every transaction is in one: harmless where the node mines by itself. */
async function mine(rpcUrl: Node, hashes: readonly string[]): Promise<(Receipt | null)[]> {
  const receiptCalls = hashes.map((hash): Call => ['eth_getTransactionReceipt', hash])
  for (let block = 0; block < maxBlocks; block++) {
    await call(rpcUrl, 'evm_mine')
    const receipts = await callAll(rpcUrl, receiptCalls)
    if (receipts.every(r => r !== null)) return receipts as Receipt[]
  }
  throw new Error(`the deployment was not mined within ${maxBlocks} blocks`)
}

/**
 * A planted contract's constructor ran at its own address, in a transaction to its creation code lying there as code. What it
 * returned is its runtime code, immutables included, which now replaces the creation code. The call runs on empty storage, since constructors
 * may refuse to run twice.
 */
async function uncover(rpcUrl: Node, plan: Plan): Promise<void> {
  const planted = plan.steps.filter(s => s.kind === 'plant')
  const codes = await callAll(
    rpcUrl,
    planted.map((s): Call => ['eth_getCode', s.address, 'latest']),
  )
  const covered = planted.filter((s, i) => codes[i] === s.initCode)
  const runtimes = await callAll(
    rpcUrl,
    covered.map((s): Call => ['eth_call', { to: s.address }, 'latest', { [s.address]: { state: {} } }]),
  )
  await callAll(
    rpcUrl,
    covered.map((s, i): Call => ['anvil_setCode', s.address, runtimes[i]]),
  )
}
