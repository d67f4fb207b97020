import { z } from 'zod'
import type { Draft } from '../core/event.ts'
import { chain } from '../core/fields.ts'

/** What the relayer can be asked to do (behaviour 13). libs/chain has the arguments of each kind. */
export const commandKinds = [
  'identity.register',
  'card.mint',
  'card.update',
  'gas.drip',
  'score.sync',
  'feedback.give',
  'escrow.lock',
  'escrow.lock-x402',
  'escrow.accept',
  'escrow.payee',
  'escrow.dispute',
  'escrow.approve',
  'escrow.settle',
  'bond.deposit',
  'bond.withdraw',
  'bond.lock',
  'bond.unlock',
  'bond.slash',
  'bond.unslash',
  'swarm.open',
  'swarm.replace',
  'swarm.vote',
  'reward.pay',
  'job.create',
  'job.fund',
  'job.assign',
  'job.submit',
  'job.settle',
  'job.dispute',
  'treasury.pay',
  'domain.mint',
  'domain.transfer',
  'domain.burn',
  'faucet.mint',
] as const
export const commandKind = z.enum(commandKinds)
export type CommandKind = z.output<typeof commandKind>

export const opKey = z
  .string()
  .min(3)
  .max(200)
  .regex(/^[a-z][a-z0-9-]*\.[a-z0-9-]+:[\x21-\x7e]+$/, 'must be <kind>:<ids>')

const payload = z.object({
  /** `<kind>:<ids>`: names the effect, which happens once whatever is sent how often. */
  opKey,
  /** From 1; the next one only after a terminal failure. */
  round: z.int().min(1),
  network: chain,
  kind: commandKind,
  /** Plain JSON; amounts and numbers above 2^53 as decimal text. */
  args: z.record(z.string(), z.unknown()),
  /** Commands of one aggregate keep their order. */
  aggregateKey: z.string().min(1).max(200),
  /** Wall clock, ISO 8601; past it the command is never signed. For commands that spend a source. */
  deadline: z.iso.datetime().optional(),
})
export type ChainCommand = z.output<typeof payload>

/** The command message: queue `carapace.chain.<network>`, bound by the network's name. */
export const chainCommand = {
  name: 'chain.command',
  type: 'chain.command.v1',
  payload,
  of: (command: ChainCommand): Draft => ({
    exchange: 'commands',
    type: 'chain.command.v1',
    routingKey: command.network,
    subject: command.opKey,
    data: payload.parse(command),
  }),
  /** @throws ZodError when the message is not a command */
  read: (data: unknown): ChainCommand => payload.parse(data),
}
