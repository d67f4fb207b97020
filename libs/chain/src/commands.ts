import type { CommandKind } from '@carapace/api'
import type { Command } from './command.ts'
import { bondDeposit, bondLock, bondSlash, bondUnlock, bondUnslash, bondWithdraw } from './commands/bond.ts'
import { jobAssign, jobCreate, jobDispute, jobFund, jobSettle, jobSubmit } from './commands/commerce.ts'
import { domainBurn, domainMint, domainTransfer } from './commands/domains.ts'
import { escrowAccept, escrowApprove, escrowDispute, escrowLock, escrowLockX402, escrowPayee, escrowSettle } from './commands/escrow.ts'
import { cardBurn, cardMint, cardUpdate, gasDrip, identityRegister } from './commands/identity.ts'
import { laneApprove } from './commands/lane.ts'
import { faucetGas, faucetMint, treasuryPay, treasurySettleX402 } from './commands/money.ts'
import { feedbackGive, scoreSync } from './commands/reputation.ts'
import { rewardPay, swarmOpen, swarmReplace, swarmVote } from './commands/swarm.ts'

type Joined<Text extends string, Separator extends string> = Text extends `${infer Head}${Separator}${infer Tail}`
  ? `${Head}${Capitalize<Joined<Tail, Separator>>}`
  : Text
/** `escrow.lock-x402` → `escrowLockX402` */
type NameOf<Kind extends string> = Joined<Joined<Kind, '.'>, '-'>
// biome-ignore lint/suspicious/noExplicitAny: commands of all arguments side by side
type Declared = { [Kind in CommandKind as NameOf<Kind>]: Command<any, Kind> }

/** Every kind of command (behaviour 13), no more and no fewer. Services call `.draft(...)` of one; the relayer finds it by its kind. */
export const commandTable = {
  identityRegister,
  cardBurn,
  cardMint,
  cardUpdate,
  gasDrip,
  scoreSync,
  feedbackGive,
  escrowLock,
  escrowLockX402,
  escrowAccept,
  escrowPayee,
  escrowDispute,
  escrowApprove,
  escrowSettle,
  bondDeposit,
  bondWithdraw,
  bondLock,
  bondUnlock,
  bondSlash,
  bondUnslash,
  swarmOpen,
  swarmReplace,
  swarmVote,
  rewardPay,
  jobCreate,
  jobFund,
  jobAssign,
  jobSubmit,
  jobSettle,
  jobDispute,
  treasuryPay,
  treasurySettleX402,
  domainMint,
  domainTransfer,
  domainBurn,
  faucetMint,
  faucetGas,
  laneApprove,
} satisfies Declared
type Table = typeof commandTable

/**
 * Typed builders of drafts for a service's outbox.
 * @throws ZodError when an argument is not valid
 * @example commands.escrowLock({ chain: 'BASE_SEPOLIA', gigId, poster, payee, amount: 5_000_000n, source: { kind: 'allowance' }, deadline })
 */
export const commands = Object.fromEntries(Object.entries(commandTable).map(([name, { draft }]) => [name, draft])) as {
  [Name in keyof Table]: Table[Name]['draft']
}

const byKind = new Map<string, Command>(Object.values(commandTable).map(command => [command.kind, command as unknown as Command]))
/** The declaration of a kind; undefined when there is no such kind. */
export const commandOf = (kind: string): Command | undefined => byKind.get(kind)
