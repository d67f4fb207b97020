import { randomBytes, randomUUID } from 'node:crypto'
import {
  type Chain,
  type ChainCommand,
  type ChainLog,
  chainCommand,
  chainOutcome,
  type chainRelayerApi,
  chains,
  type Draft,
  network,
  outcomeNameOf,
  type ResponseOf,
} from '@carapace/api'
import type { Bus, Outgoing } from '@carapace/bus'
import { type KnownNetwork, networks, toChecksum } from '@carapace/chain'
import { published } from './published.ts'

export const newWallet = () => toChecksum(`0x${randomBytes(20).toString('hex')}`)
/** Of a transaction or a block. */
export const newHash = () => `0x${randomBytes(32).toString('hex')}`

type About = Pick<ChainCommand, 'opKey' | 'round' | 'kind' | 'network'> & { aggregateKey?: string }

/** What the relayer publishes about a command that has had its effect. `seq` orders the outcomes of one command. */
export function commandConfirmed(
  command: About,
  {
    seq = command.round,
    txHash = newHash(),
    logs = [],
    already = false,
  }: { seq?: number; txHash?: string; logs?: ChainLog[]; already?: boolean } = {},
): Draft {
  return chainOutcome(command.kind).confirmed.of({
    ...about(command, seq),
    txHash,
    blockNumber: 5,
    blockHash: newHash(),
    blockTime: 1,
    logs,
    already,
  })
}

/** The same of one that failed: for good, unless `terminal` is false. `txHash`: of a transaction that carried it. */
export function commandFailed(
  command: About,
  { seq = command.round, code = 'REVERTED', terminal = true, txHash }: { seq?: number; code?: string; terminal?: boolean; txHash?: string } = {},
): Draft {
  const carried = txHash === undefined ? {} : { txHash }
  const failure = { code: code as 'REVERTED', terminal, message: 'ERC20InsufficientBalance', attempts: 1, ...carried }
  return chainOutcome(command.kind).failed.of({ ...about(command, seq), ...failure })
}

/** The same of a confirmed one whose block was lost. */
export function commandReorged(command: About, { seq = command.round }: { seq?: number } = {}): Draft {
  return chainOutcome(command.kind).reorged.of({ ...about(command, seq), txHash: newHash(), blockHash: newHash() })
}

const about = ({ opKey, round, kind, network, aggregateKey = 'test' }: About, seq: number) => ({ opKey, round, kind, network, aggregateKey, seq })

/** Receives every command that is sent, as the relayer would. */
export const receiveCommands = (bus: Bus, receive: (command: ChainCommand) => Promise<unknown>) =>
  bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'commands', bindings: ['chain.command.#'] }, async ({ data }) => {
    await receive(chainCommand.parse(data))
  })

/** What the relayer remembers of commands and answers to `chainOutcomes`: the last outcome of each, which here is the end of it. */
export interface CommandMemory {
  /** Remembers a command that arrived; its outcome is open. */
  received(command: Pick<ChainCommand, 'opKey' | 'round'>): void
  /** Remembers an outcome, whether or not it is published. */
  note(outcome: Draft): void
  answer(operations: readonly { opKey: string; seq: number }[]): { outcomes: ResponseOf<typeof chainRelayerApi.internal.chainOutcomes>['outcomes'] }
}

export function commandMemory(): CommandMemory {
  const last = new Map<string, Outgoing>()
  const open = new Map<string, number>()
  return {
    received: ({ opKey, round }) => void open.set(opKey, round),
    note: outcome => void last.set(outcome.subject, published(outcome, Number(outcome.data.seq))),
    answer: operations => ({
      outcomes: operations.map(({ opKey, seq }) => {
        const event = last.get(opKey)?.event
        const arrived = open.get(opKey)
        const { round = 0, seq: lastSeq = 0 } = (event?.data ?? {}) as { round?: number; seq?: number }
        const undecided = { opKey, round: arrived ?? 0, ended: false, failed: false, decidedAt: null, news: false, events: [] }
        if (!event || round < (arrived ?? 0)) return { ...undecided, known: arrived !== undefined }
        const failed = outcomeNameOf(event.type) === 'failed'
        const news = lastSeq > seq
        return { opKey, known: true, round, ended: true, failed, decidedAt: new Date(0).toISOString(), news, events: news ? [event] : [] }
      }),
    }),
  }
}

/** The relayer's `chainNetworks`: the same contracts on each network, new addresses but for those given. */
export function knownNetworks(contracts: Record<string, string>): KnownNetwork[] {
  const addresses = Object.fromEntries(Object.keys(network.shape.contracts.shape).map(name => [name, contracts[name] ?? newWallet()]))
  const place = {
    rpcUrl: 'http://127.0.0.1:1',
    explorerUrl: null,
    gasless: false,
    devnet: true,
    finalityBlocks: 1,
    tokenDomain: { name: 'USDC', version: '2' },
  }
  const usdc = networks.BASE_SEPOLIA.canonical.USDC
  return chains.map(chain => ({ chain, chainId: networks[chain].chainId, ...place, contracts: { ...addresses, usdc, timelock: null } as never }))
}

/** The relayer's `chainStatus` of a lane that leads and has nothing to do. */
export const laneStatus = (chain: Chain, address: string) => ({
  ...{ chain, chainId: 1, head: 1, headHash: newHash(), headTime: 1, leading: true, led: true, contradicted: false, contracts: {} },
  lane: { address, queued: 0, inflight: 0, nonceGap: 0 },
})
