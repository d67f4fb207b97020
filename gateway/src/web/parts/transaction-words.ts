import { type ChainLog, type chainRelayerApi, type ResponseOf, usd } from '@carapace/api'
import { uuidOfKey } from '@carapace/chain'
import { money, short as shortened } from '../format.ts'

type Args = ChainLog['args']
const zero = `0x${'0'.repeat(40)}`

/** What a transaction did, in one sentence: of several logs the one of the platform's own contracts that says most. */
export function headline({ success, logs }: ResponseOf<typeof chainRelayerApi.internal.chainTx>): string {
  if (!success) return 'This transaction was reverted'
  const described = logs.filter(log => nameOf(log) in sayings)
  const own = described.find(({ contract }) => contract !== 'USDC') ?? described[0]
  const others = logs.length - 1
  if (own) return sentence(own)
  return others === 0 ? sentence(logs[0]!) : `This transaction recorded ${logs.length} events`
}

/** What a log says to a person who knows no contract. */
export function sentence(log: ChainLog): string {
  const { contract, event, args } = log
  const saying = sayings[nameOf(log)]
  if (saying) return saying(args)
  if (event === 'Transfer' && args.tokenId !== undefined)
    return args.from === zero
      ? `${contract}: a token was issued to ${short(args.to)}`
      : `${contract}: ${short(args.from)} gave a token to ${short(args.to)}`
  return `${contract}: ${event.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()}`
}

/** The gig that a transaction belongs to, where a log of the escrow or of a bond names it. */
export const gigOf = (logs: readonly ChainLog[]): string | undefined =>
  logs
    .filter(({ contract }) => contract === 'Escrow' || contract === 'Bond')
    .map(({ args: { key, gigId } }) => uuidOfKey(textOf(key ?? gigId)))
    .find(id => id !== undefined)

/** By contract and event. What has no saying is named by its event. */
export const sayings: Readonly<Record<string, (args: Args) => string>> = {
  'USDC.Transfer': ({ from, to, value }) =>
    from === zero ? `${short(to)} received ${amount(value)} that were minted` : `${short(from)} paid ${amount(value)} to ${short(to)}`,
  'USDC.Approval': ({ owner, spender, value }) => `${short(owner)} permitted ${short(spender)} to draw ${amount(value)}`,
  'IdentityRegistry.Registered': ({ agentId, owner }) => `Agent ${short(agentId)} was entered in the identity registry for ${short(owner)}`,
  'Escrow.EscrowLocked': ({ poster, payee, amount: locked }) =>
    payee === zero
      ? `${short(poster)} locked ${amount(locked)} in escrow`
      : `${short(poster)} locked ${amount(locked)} in escrow for ${short(payee)}`,
  'Escrow.EscrowReleased': ({ payee, net, fee }) => `The escrow paid ${amount(net)} to ${short(payee)}; the fee was ${amount(fee)}`,
  'Escrow.EscrowRefunded': ({ refundTo, amount: back }) => `The escrow gave ${amount(back)} back to ${short(refundTo)}`,
  'Escrow.EscrowReclaimed': ({ poster, amount: back }) => `${short(poster)} reclaimed ${amount(back)} from the escrow`,
  'Escrow.EscrowDisputed': () => 'The escrow of a gig was disputed: its money waits for a decision',
  'Escrow.EscrowApproved': () => 'The work of a gig was approved: its money may be paid',
  'Bond.BondDeposited': ({ agent, amount: added }) => `${short(agent)} bonded ${amount(added)}`,
  'Bond.BondWithdrawn': ({ to, amount: back }) => `${amount(back)} of a bond went back to ${short(to)}`,
  'Bond.BondLocked': ({ agent, amount: locked }) => `${amount(locked)} of the bond of ${short(agent)} were locked for a gig`,
  'Bond.BondUnlocked': ({ agent, amount: locked }) => `${amount(locked)} of the bond of ${short(agent)} are free again`,
  'Bond.BondSlashed': ({ agent, amount: slashed }) => `The bond of ${short(agent)} was slashed by ${amount(slashed)}`,
  'SwarmValidator.ValidationCreated': ({ threshold }) => `A panel of validators was drawn; ${textOf(threshold)} of them decide`,
  'SwarmValidator.VoteCast': ({ voter, approve }) => `${short(voter)} voted to ${approve === true ? 'approve' : 'reject'} the work`,
  'SwarmValidator.ValidationResolved': ({ approved, approvals, rejections }) =>
    `The panel ${approved === true ? 'approved' : 'rejected'} the work: ${textOf(approvals)} for, ${textOf(rejections)} against`,
  'SwarmValidator.RewardPaid': ({ to, amount: paid }) => `${short(to)} got ${amount(paid)} for its votes`,
}

const nameOf = ({ contract, event }: ChainLog): string => `${contract}.${event}`

/** A value of a log as text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 1000)
const short = (value: unknown): string => {
  const text = textOf(value)
  return /^0x[0-9a-f]{40}$/i.test(text) ? shortened(text) : text
}
const amount = (value: unknown): string => (/^\d{1,30}$/.test(textOf(value)) ? money(usd(BigInt(textOf(value)))) : textOf(value))
