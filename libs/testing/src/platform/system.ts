import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chain, chains, type Network } from '@carapace/api'
import { Contract, type JsonRpcProvider, MaxUint256, parseUnits, Wallet } from 'ethers'
import { type Answer, type CallOptions, httpCall } from '../http-call.ts'
import { until } from '../until.ts'
import { receiptProvider } from './receipt-provider.ts'

/** An agent of a test with its own key. */
export interface Player {
  id: string
  handle: string
  wallet: Wallet
  headers: Record<string, string>
}

export interface NewPlayer {
  chain?: Chain
  /** Whole USDC from the faucet, which the platform's contracts may then spend. Default 0. */
  usdc?: number
  skills?: string[]
  prefix?: string
}

/** A running platform as its users see it: HTTP and the two chains, nothing of its code. */
export interface System {
  url: string
  networks: Record<Chain, TestNetwork>
  /** Headers of the oracle, who is the admin too. */
  admin: Record<string, string>
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** The body of a 2xx answer. @throws Error with the answer otherwise */
  get(path: string): Promise<Answer['body']>
  /** As `get`, for a POST by a player or the admin. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer['body']>
  newPlayer(options?: NewPlayer): Promise<Player>
  faucet(walletAddress: string, amount: number, chain: Chain): Promise<void>
  /** Lets the contracts that are paid pull what the player has. */
  approve(player: Player, chain: Chain): Promise<void>
  /** µ of an address on the chain itself. */
  usdcOf(chain: Chain, address: string): Promise<bigint>
  /** Moves the platform clock; timers that become due run. */
  advance(seconds: number): Promise<void>
  close(): void
}

export type TestNetwork = Network & {
  provider: JsonRpcProvider
  usdc: Contract
}

const preparationSeconds = 90
const retryMs = 500

const usdcAbi = [
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address,uint256) returns (bool)',
  'function approve(address,uint256) returns (bool)',
]

/** A request of a test and what it was answered. */
export interface Exchange {
  method: string
  path: string
  options: CallOptions
  answer: Answer
}

/**
 * Connects to a running platform.
 * @param urls its gateway, or several of which each call reaches the next; which may change meanwhile
 * @param rpcUrls where the chains are reached, when not at the addresses that the platform publishes
 * @param onAnswer sees each request of this system with its answer
 */
export async function openSystem(
  urls: string | readonly string[],
  rpcUrls: Readonly<Record<string, string>> = {},
  onAnswer: (exchange: Exchange) => void = () => {},
): Promise<System> {
  const gateways = typeof urls === 'string' ? [urls] : urls
  const url = gateways[0]!
  let calls = 0
  const call: System['call'] = async (method, path, options = {}) => {
    const answer = await httpCall(gateways[calls++ % gateways.length]!, method, path, options)
    onAnswer({ method, path, options, answer })
    return answer
  }
  const ok = (what: string, { status, body }: Awaited<ReturnType<System['call']>>) => {
    if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const okOrThrow = async (method: string, path: string, options?: CallOptions) => ok(`${method} ${path}`, await call(method, path, options))
  /** Many players are made at the same time, on machines that have other work: the key makes the retry of a call without an answer one act. */
  const once = async (path: string, key: string, body: unknown) => {
    const options = { body, headers: { 'idempotency-key': key } }
    const end = Date.now() + preparationSeconds * 1000
    let answer = await call('POST', path, options)
    while (answer.body?.retryable === true && Date.now() < end) {
      await sleep(retryMs)
      answer = await call('POST', path, options)
    }
    return ok(`POST ${path}`, answer)
  }
  const published = (await okOrThrow('GET', '/api/networks')) as { networks: Network[]; oracleWallet: string | null }
  const networks = Object.fromEntries(
    chains.map(chain => [chain, meet({ ...published.networks.find(one => one.chain === chain)!, ...at(rpcUrls[chain]) })]),
  ) as System['networks']
  const admin = { 'x-admin-wallet': published.oracleWallet ?? '' }

  const system: System = {
    url,
    networks,
    admin,
    call,
    get: path => okOrThrow('GET', path),
    post: (path, body, headers = {}) => okOrThrow('POST', path, { body, headers }),
    newPlayer: async ({ chain = 'BASE_SEPOLIA', usdc = 0, skills = ['solidity'], prefix = 'player' } = {}) => {
      const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`)
      const handle = `${prefix}-${randomBytes(5).toString('hex')}`
      const body = { handle, walletAddress: wallet.address, skills, chain }
      const { agent } = await once('/api/register-agent', handle, body)
      const player = { id: agent.id, handle, wallet, headers: { 'x-agent-id': agent.id, 'x-wallet-address': wallet.address } }
      if (usdc > 0) {
        await system.faucet(wallet.address, usdc, chain)
        await system.approve(player, chain)
      }
      return player
    },
    faucet: async (walletAddress, amount, chain) => {
      const before = await system.usdcOf(chain, walletAddress)
      const wanted = before + parseUnits(String(amount), 6)
      await once('/api/sandbox/faucet', randomUUID(), { walletAddress, amount, chain })
      await until('test money has arrived', async () => (await system.usdcOf(chain, walletAddress)) >= wanted)
      const { provider, gasless } = networks[chain]
      if (!gasless) await until('gas has arrived', async () => (await provider.getBalance(walletAddress)) > 0n)
    },
    approve: async ({ wallet }, chain) => {
      const { provider, contracts, usdc } = networks[chain]
      const token = usdc.connect(wallet.connect(provider)) as Contract
      let nonce = await provider.getTransactionCount(wallet.address)
      const sent = []
      for (const spender of [contracts.escrow, contracts.bond, contracts.commerce, contracts.domains])
        sent.push(await token.getFunction('approve')(spender, MaxUint256, { nonce: nonce++ }))
      for (const transaction of sent) await transaction.wait()
    },
    usdcOf: (chain, address) => networks[chain].usdc.getFunction('balanceOf')(address),
    advance: async seconds => {
      await system.post('/api/sandbox/clock', { advanceSeconds: seconds })
    },
    close: () => {
      for (const { provider } of Object.values(networks)) provider.destroy()
    },
  }
  return system
}

const at = (rpcUrl: string | undefined) => (rpcUrl === undefined ? {} : { rpcUrl })

function meet(network: Network): TestNetwork {
  const provider = receiptProvider(network)
  return { ...network, provider, usdc: new Contract(network.contracts.usdc, usdcAbi, provider) }
}
