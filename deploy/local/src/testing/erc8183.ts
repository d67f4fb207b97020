import { randomBytes } from 'node:crypto'
import type { Chain } from '@carapace/api'
import { type ChainPlatform, daySeconds, until } from '@carapace/testing'
import { Contract, type ContractTransactionResponse, id, MaxUint256, parseUnits, Wallet, ZeroAddress } from 'ethers'

/** What somebody writes down who has read the ERC text and nothing else. */
export const erc8183 = [
  'function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook) returns (uint256)',
  'function setProvider(uint256 jobId, address provider, bytes optParams)',
  'function setBudget(uint256 jobId, uint256 amount, bytes optParams)',
  'function fund(uint256 jobId, uint256 expectedBudget, bytes optParams)',
  'function submit(uint256 jobId, bytes32 deliverable, bytes optParams)',
  'function complete(uint256 jobId, bytes32 reason, bytes optParams)',
  'function reject(uint256 jobId, bytes32 reason, bytes optParams)',
  'function claimRefund(uint256 jobId)',
  'event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint256 expiredAt, address hook)',
  'error InvalidHook()',
]
/** The second ABI: that of the authors' own contracts, where it differs from the text. */
export const authors = [
  'function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook, uint256 providerAgentId) returns (uint256)',
  'function setProvider(uint256 jobId, address provider, uint256 agentId)',
  'function setBudget(uint256 jobId, address token, uint256 amount, bytes optParams)',
  'function fund(uint256 jobId, uint256 expectedBudget, bytes optParams)',
  'function submit(uint256 jobId, bytes32 deliverable, bytes optParams)',
  'function complete(uint256 jobId, bytes32 reason, bytes optParams)',
  'function getJob(uint256 jobId) view returns (tuple(uint256 id, address client, address provider, address evaluator, string description, uint256 budget, uint256 expiredAt, uint8 status, address hook, address paymentToken, uint256 providerAgentId, uint256 submittedAt))',
  'event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint256 expiredAt, address hook)',
  'event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason)',
]
export const erc20 = ['function approve(address spender, uint256 amount) returns (bool)', 'function balanceOf(address) view returns (uint256)']
export const budget = parseUnits('25', 6)

/**
 * What wallets do on the ERC-8183 contract of a network, and what the platform shows of it.
 * @param at one of several contracts, and its evaluator; default: the present ones
 */
export function erc8183On(platform: ChainPlatform, chain: Chain, at?: { commerce: string; jobEvaluator: string }) {
  const place = () => at ?? (platform.networks[chain].contracts as { commerce: string; jobEvaluator: string })
  /** A wallet that nobody registered, with gas and money. */
  const outsider = async (): Promise<Wallet> => {
    const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`, platform.networks[chain].provider)
    await platform.faucet(wallet.address, 100, chain)
    return wallet
  }

  const done = async (sent: Promise<ContractTransactionResponse>) => (await sent).wait()
  const as = (wallet: Wallet, abi = erc8183) => {
    const contract = new Contract(place().commerce, abi, wallet.connect(platform.networks[chain].provider))
    const send = (name: string, ...args: unknown[]) => done(contract.getFunction(name)(...args))
    return { contract, send }
  }
  const now = async () => (await platform.networks[chain].provider.getBlock('latest'))!.timestamp

  /** @returns number of the job that the receipt of `createJob` names */
  const create = async (client: Wallet, provider: string, evaluator: string, forSeconds = 30 * daySeconds): Promise<bigint> => {
    const { contract, send } = as(client)
    const receipt = await send('createJob', provider, evaluator, (await now()) + forSeconds, 'Label pictures\n\nA thousand of them.', ZeroAddress)
    const created = receipt!.logs.map(log => contract.interface.parseLog(log)).find(log => log?.name === 'JobCreated')
    return created!.args.jobId
  }
  const fund = async (client: Wallet, jobId: bigint, amount = budget): Promise<void> => {
    const { contracts, provider } = platform.networks[chain]
    await as(client).send('setBudget', jobId, amount, '0x')
    await done(new Contract(contracts.usdc, erc20, client.connect(provider)).getFunction('approve')(place().commerce, MaxUint256))
    await as(client).send('fund', jobId, amount, '0x')
  }
  const shown = (jobId: bigint, status: string) =>
    until(`the job on the contract is shown as ${status}`, async () => {
      const { body } = await platform.call('GET', `/api/erc8183/jobs/${jobId}?chain=${chain}${at ? `&contract=${at.commerce}` : ''}`)
      if (body.status !== status) throw new Error(`it is ${JSON.stringify(body)}`)
      return body
    })
  /** Delivered work that names our evaluator. */
  const delivered = async (client: Wallet, worker: Wallet, amount = budget, evaluator = place().jobEvaluator) => {
    const jobId = await create(client, worker.address, evaluator)
    await fund(client, jobId, amount)
    const { external } = await shown(jobId, 'assigned')
    await as(worker).send('submit', jobId, id('work'), '0x')
    const { id: recordId } = await shown(jobId, 'submitted')
    return { external, recordId, jobId }
  }
  return { outsider, done, as, now, create, fund, shown, delivered }
}
