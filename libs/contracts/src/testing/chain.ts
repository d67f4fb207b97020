import { getAddress, Interface, type InterfaceAbi, id, type LogDescription, type Result, Wallet } from 'ethers'
import type { Addresses } from '../address.ts'
import { type ContractName, interfaceOf } from '../artifact.ts'
import { deployDevnet } from '../deploy/devnet.ts'
import { call } from '../deploy/rpc.ts'
import { startAnvil } from './anvil.ts'
import { Reverted, revertedWith } from './revert.ts'

/** A contract under test. Anybody may be the sender: the node signs for everyone. */
export interface Handle {
  address: string
  interface: Interface
  /** Sends a transaction and gives the events of all contracts known to the chain. Throws Reverted. */
  send(from: string, fn: string, ...args: unknown[]): Promise<Event[]>
  /** Result of a view; its only value, or all. */
  read<T = Result>(fn: string, ...args: unknown[]): Promise<T>
}

export interface Event {
  contract: string
  name: string
  signature: string
  args: Result
}

export interface Chain {
  rpcUrl: string
  chainId: number
  addresses: Addresses
  at(name: ContractName): Handle
  handle(address: string, abi: InterfaceAbi | Interface): Handle
  create(from: string, bytecode: string, abi: InterfaceAbi, ...args: unknown[]): Promise<Handle>
  /** Unix seconds of a block made now. */
  now(): Promise<bigint>
  advance(seconds: number | bigint): Promise<void>
  /** Forgets everything since the chain was ready. */
  reset(): Promise<void>
  stop(): Promise<void>
}

/** A key made from a name: the same in every run. */
export const walletOf = (name: string): Wallet => new Wallet(id(name))

export const people = Object.fromEntries(
  ['operator', 'oracle', 'facilitator', 'pauser', 'proposer', 'poster', 'payee', 'stranger'].map(name => [name, walletOf(name).address]),
) as Record<'operator' | 'oracle' | 'facilitator' | 'pauser' | 'proposer' | 'poster' | 'payee' | 'stranger', string>

const gas = '0x1c9c380'

/** An anvil with all contracts on it. */
export async function startChain(chainId = 84532): Promise<Chain> {
  const anvil = await startAnvil(chainId)
  const { rpcUrl } = anvil
  const { operator, oracle, facilitator, pauser, proposer } = people
  const { addresses } = await deployDevnet({
    rpcUrl,
    chainId,
    deployerKey: id('deployer'),
    operator,
    oracle,
    facilitator,
    pauser,
    proposers: [proposer],
  })
  const contracts = new Map<string, [string, Interface]>()
  for (const [name, address] of Object.entries(addresses)) contracts.set(address.toLowerCase(), [name, interfaceOf(name as ContractName)])
  const handle = (address: string, abi: InterfaceAbi | Interface): Handle => {
    const face = Interface.from(abi as InterfaceAbi)
    if (!contracts.has(address.toLowerCase())) contracts.set(address.toLowerCase(), [address, face])
    return handleOf(rpcUrl, address, face, contracts)
  }
  let snapshot = await call<string>(rpcUrl, 'evm_snapshot')
  return {
    rpcUrl,
    chainId,
    addresses,
    handle,
    at: name => handle(addresses[name], interfaceOf(name)),
    create: async (from, bytecode, abi, ...args) => {
      const data = bytecode + Interface.from(abi).encodeDeploy(args).slice(2)
      try {
        await call(rpcUrl, 'eth_call', { from, data, gas }, 'latest')
      } catch (error) {
        throw revertedWith(error, [Interface.from(abi)])
      }
      const receipt = await transact(rpcUrl, { from, data })
      return handle(getAddress(receipt.contractAddress ?? ''), abi)
    },
    now: async () => {
      await call(rpcUrl, 'evm_mine')
      return BigInt((await call<{ timestamp: string }>(rpcUrl, 'eth_getBlockByNumber', 'latest', false)).timestamp)
    },
    advance: async seconds => {
      const { timestamp } = await call<{ timestamp: string }>(rpcUrl, 'eth_getBlockByNumber', 'latest', false)
      await call(rpcUrl, 'evm_setNextBlockTimestamp', Number(timestamp) + Number(seconds))
      await call(rpcUrl, 'evm_mine')
    },
    reset: async () => {
      await call(rpcUrl, 'evm_revert', snapshot)
      snapshot = await call(rpcUrl, 'evm_snapshot')
    },
    stop: anvil.stop,
  }
}

function handleOf(rpcUrl: string, address: string, face: Interface, contracts: Map<string, [string, Interface]>): Handle {
  const interfaces = () => [...contracts.values()].map(([, i]) => i)
  return {
    address,
    interface: face,
    send: async (from, fn, ...args) => {
      const request = { from, to: address, data: face.encodeFunctionData(fn, args) }
      try {
        await call(rpcUrl, 'eth_call', { ...request, gas }, 'latest')
      } catch (error) {
        throw revertedWith(error, interfaces())
      }
      const receipt = await transact(rpcUrl, request)
      return receipt.logs.flatMap(log => eventOf(log, contracts))
    },
    read: async (fn, ...args) => {
      const data = face.encodeFunctionData(fn, args)
      try {
        const answer = await call<string>(rpcUrl, 'eth_call', { to: address, data, gas }, 'latest')
        const result = face.decodeFunctionResult(fn, answer)
        return result.length === 1 ? result[0] : result
      } catch (error) {
        throw revertedWith(error, interfaces())
      }
    },
  }
}

interface Log {
  address: string
  topics: string[]
  data: string
}

interface Receipt {
  status: string
  contractAddress: string | null
  gasUsed: string
  logs: Log[]
}

async function transact(rpcUrl: string, request: { from: string; to?: string; data: string }): Promise<Receipt> {
  // Not one batch: the node works on the calls of a batch side by side.
  const hash = await call<string>(rpcUrl, 'eth_sendTransaction', { ...request, gas, gasPrice: '0x0' })
  await call(rpcUrl, 'evm_mine')
  const receipt = await call<Receipt>(rpcUrl, 'eth_getTransactionReceipt', hash)
  if (receipt.status !== '0x1') throw new Reverted('a transaction whose call had succeeded', [])
  return receipt
}

function eventOf(log: Log, contracts: Map<string, [string, Interface]>): Event[] {
  const [contract, face] = contracts.get(log.address.toLowerCase()) ?? []
  const parsed: LogDescription | null | undefined = face?.parseLog(log)
  return parsed && contract ? [{ contract, name: parsed.name, signature: parsed.signature, args: parsed.args }] : []
}
