import type * as api from '@carapace/api'
import { commandConfirmed, commandFailed, hearCommands, newHash, startPlatform, type TestPlatform, type TestPlatformOptions } from '@carapace/testing'
import { treasury } from '../index.ts'
import { neighbours } from './neighbours.ts'
import { move, type PayArgs, tellTransfer, transferLogs } from './token.ts'

type Treatment = 'confirm' | 'fail' | 'wait'

/** The treasury among neighbours that answer by plain maps, with a token whose balances the commands move. */
export interface World {
  platform: TestPlatform
  /** USDC (µ) on chain by `<chain>/<address>`. */
  balances: Map<string, bigint>
  /** Decoded logs by transaction. */
  transactions: Map<string, api.ChainLog[]>
  /** Hash of the block that a transaction is in; one of its own where there is none. */
  blocks: Map<string, string>
  escrows: Map<string, Pick<api.EscrowRow, 'status' | 'amount' | 'chain'>>
  gigs: Set<string>
  /** What identity answers about agents. */
  agents: Map<string, api.AgentRow>
  commands: api.ChainCommand[]
  /** How the chain treats a command. Default: confirms it at once. */
  chain: (command: api.ChainCommand) => Treatment
  devnet: boolean
  outcome(command: OutcomeOf, outcome: 'confirm' | 'fail', options?: { seq?: number; terminal?: boolean; code?: string }): Promise<string>
  close(): Promise<void>
}
type OutcomeOf = Pick<api.ChainCommand, 'opKey' | 'round' | 'kind' | 'network'> & { args?: Record<string, unknown> }

export async function startWorld(options: TestPlatformOptions = {}): Promise<World> {
  const world = {
    balances: new Map(),
    transactions: new Map(),
    blocks: new Map(),
    escrows: new Map(),
    gigs: new Set(),
    agents: new Map(),
    commands: [],
    chain: () => 'confirm',
    devnet: true,
  } as unknown as World
  const platform = await startPlatform([...neighbours(world), treasury], options)
  world.platform = platform
  let seq = 0
  world.outcome = async (command, outcome, { seq: given, terminal, code } = {}) => {
    seq += 1
    const told = { seq: given ?? seq, txHash: newHash() }
    if (outcome === 'fail') await platform.publish(commandFailed(command, { ...told, terminal, code }))
    else {
      const logs = command.kind === 'treasury.pay' && command.args ? transferLogs(command.args as unknown as PayArgs) : []
      world.transactions.set(told.txHash, logs)
      await platform.publish(commandConfirmed(command, { ...told, logs }))
    }
    return told.txHash
  }
  const consumer = await hearCommands(platform.bus, async command => {
    world.commands.push(command)
    const treatment = world.chain(command)
    if (treatment === 'wait') return
    if (treatment === 'confirm') await carryOut(world, command)
    else await world.outcome(command, 'fail')
  })
  world.close = async () => {
    await consumer.close()
    await platform.close()
  }
  return world
}

/** Does on chain what a payment says, and tells its outcome; the log of the transfer follows when it is final. */
async function carryOut(world: World, command: api.ChainCommand): Promise<void> {
  const { from, to, amount } = command.args as unknown as PayArgs
  move(world, command.network, from, to, BigInt(amount))
  const txHash = await world.outcome(command, 'confirm')
  await tellTransfer(world, { chain: command.network, from, to, amount: BigInt(amount), txHash, logIndex: 1 })
}
