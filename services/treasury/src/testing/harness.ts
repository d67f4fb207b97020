import type * as api from '@carapace/api'
import {
  type CommandMemory,
  commandConfirmed,
  commandFailed,
  commandMemory,
  newHash,
  receiveCommands,
  startPlatform,
  type TestPlatform,
  type TestPlatformOptions,
} from '@carapace/testing'
import { treasury } from '../index.ts'
import { peerServices } from './peers.ts'
import { move, type PayArgs, publishTransfer, transferLogs } from './token.ts'

type Treatment = 'confirm' | 'fail' | 'wait'

/** The treasury among peers that answer by plain maps, with a token whose balances the commands move. */
export interface Harness {
  platform: TestPlatform
  /** USDC (µ) on chain by `<chain>/<address>`. */
  balances: Map<string, bigint>
  /** Decoded logs by transaction. */
  transactions: Map<string, api.ChainLog[]>
  /** Transactions that a reorganisation may still drop. */
  unsettled: Set<string>
  /** Networks whose transactions cannot be read; `identity` when that does not answer. */
  away: Set<string>
  /** Hash of the block that a transaction is in; one of its own where there is none. */
  blocks: Map<string, string>
  /** Senders of transactions; the lane sent all others. */
  senders: Map<string, string>
  escrows: Map<string, Pick<api.EscrowRow, 'status' | 'amount' | 'chain'>>
  gigs: Set<string>
  /** Keys of commerce jobs by their numbers on the contract. */
  jobKeys: Map<string, string>
  /** Transaction that used an authorisation of the token, by its nonce. */
  authorizations: Map<string, string>
  /** Nonces of those that were cancelled. */
  cancellations: Set<string>
  /** What identity answers about agents. */
  agents: Map<string, api.AgentRow>
  /** Whether the escrow has a round of a command open that money is reserved for. Default: all. */
  isOpen: (key: string, round: number) => boolean
  commands: api.ChainCommand[]
  /** How the chain treats a command. Default: confirms it immediately. */
  chain: (command: api.ChainCommand) => Treatment
  devnet: boolean
  /** What the chain decided, as the relayer answers it when it is polled. */
  memory: CommandMemory
  /** How often it was. */
  polled(opKey: string): number
  outcome(command: OutcomeOf, outcome: 'confirm' | 'fail', options?: { seq?: number; terminal?: boolean; code?: string }): Promise<string>
  close(): Promise<void>
}
type OutcomeOf = Pick<api.ChainCommand, 'opKey' | 'round' | 'kind' | 'network'> & { args?: Record<string, unknown> }

export async function startHarness(options: TestPlatformOptions = {}): Promise<Harness> {
  const harness = {
    balances: new Map(),
    transactions: new Map(),
    unsettled: new Set(),
    away: new Set(),
    blocks: new Map(),
    senders: new Map(),
    escrows: new Map(),
    gigs: new Set(),
    jobKeys: new Map(),
    agents: new Map(),
    isOpen: () => true,
    commands: [],
    chain: () => 'confirm',
    authorizations: new Map(),
    cancellations: new Set(),
    devnet: true,
    memory: commandMemory(),
  } as unknown as Harness
  const polls = new Map<string, number>()
  const { answer } = harness.memory
  harness.memory.answer = operations => {
    for (const { opKey } of operations) polls.set(opKey, (polls.get(opKey) ?? 0) + 1)
    return answer(operations)
  }
  harness.polled = opKey => polls.get(opKey) ?? 0
  const platform = await startPlatform([...peerServices(harness), treasury], options)
  harness.platform = platform
  // the relayer counts the outcomes of a key over all its rounds
  const counted = new Map<string, number>()
  harness.outcome = async (command, outcome, { seq: given, terminal, code } = {}) => {
    const seq = (counted.get(command.opKey) ?? 0) + 1
    counted.set(command.opKey, seq)
    const published = { seq: given ?? seq, txHash: newHash() }
    const publish = async (draft: api.Draft) => {
      harness.memory.note(draft)
      await platform.publish(draft)
    }
    if (outcome === 'fail') await publish(commandFailed(command, { seq: published.seq, terminal, code }))
    else {
      const moves = command.kind === 'treasury.pay' || command.kind === 'treasury.settle-x402'
      const logs = moves && command.args ? transferLogs(command.args as unknown as PayArgs) : []
      harness.transactions.set(published.txHash, logs)
      await publish(commandConfirmed(command, { ...published, logs }))
    }
    return published.txHash
  }
  const consumer = await receiveCommands(platform.bus, async command => {
    harness.commands.push(command)
    harness.memory.received(command)
    const treatment = harness.chain(command)
    if (treatment === 'wait') return
    if (treatment === 'confirm') await carryOut(harness, command)
    else await harness.outcome(command, 'fail')
  })
  harness.close = async () => {
    await consumer.close()
    await platform.close()
  }
  return harness
}

/** Does on chain what a payment says, and publishes its outcome; the log of the transfer follows when it is final. */
async function carryOut(harness: Harness, command: api.ChainCommand): Promise<void> {
  const { from, to, amount } = command.args as unknown as PayArgs
  move(harness, command.network, from, to, BigInt(amount))
  const txHash = await harness.outcome(command, 'confirm')
  await publishTransfer(harness, { chain: command.network, from, to, amount: BigInt(amount), txHash, logIndex: 1 })
}
