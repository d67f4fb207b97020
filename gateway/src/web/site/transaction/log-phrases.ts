import { type ChainLog, usd } from '@carapace/api'
import { money, short as shortened } from '../../format.ts'

type Args = ChainLog['args']
/** What an address is called. */
export type Called = (address: unknown) => string
type Saying = (args: Args, called: Called) => string

const zero = `0x${'0'.repeat(40)}`

/** What people did or got, by contract and event: one of these heads its transaction. */
export const deeds: Readonly<Record<string, Saying>> = {
  'Escrow.EscrowReleased': ({ payee, net, fee }, called) => `The escrow paid ${amount(net)} to ${called(payee)}; the fee was ${amount(fee)}`,
  'Escrow.EscrowRefunded': ({ refundTo, amount: back }, called) => `The escrow gave ${amount(back)} back to ${called(refundTo)}`,
  'Escrow.EscrowReclaimed': ({ poster, amount: back }, called) => `${called(poster)} reclaimed ${amount(back)} from the escrow`,
  'Escrow.EscrowLocked': ({ poster, payee, amount: locked }, called) =>
    payee === zero
      ? `${called(poster)} locked ${amount(locked)} in escrow`
      : `${called(poster)} locked ${amount(locked)} in escrow for ${called(payee)}`,
  'Escrow.EscrowDisputed': () => 'The escrow of a gig was disputed: its money waits for a decision',
  'Escrow.EscrowApproved': () => 'The work of a gig was approved: its money may be paid',
  'SwarmValidator.ValidationResolved': ({ approved, approvals, rejections }) =>
    `The panel ${approved === true ? 'approved' : 'rejected'} the work: ${textOf(approvals)} for, ${textOf(rejections)} against`,
  'SwarmValidator.VoteCast': ({ voter, approve }, called) => `${called(voter)} voted to ${approve === true ? 'approve' : 'reject'} the work`,
  'SwarmValidator.ValidationCreated': ({ threshold }) => `A panel of validators was drawn; ${textOf(threshold)} of them decide`,
  'SwarmValidator.CandidateReplaced': ({ replaced, replacement }, called) =>
    `${called(replacement)} took the seat of ${called(replaced)} in a panel of validators`,
  'SwarmValidator.RewardPaid': ({ to, amount: paid }, called) => `${called(to)} got ${amount(paid)} for its votes`,
  'SwarmValidator.PoolSwept': ({ to, amount: swept }, called) => `${amount(swept)} of the pool of rewards went to ${called(to)}`,
  'SwarmValidator.SlashReturned': ({ amount: back }) => `${amount(back)} of a slash went back into the bond that it was taken from`,
  'Bond.BondSlashed': ({ agent, amount: slashed }, called) => `The bond of ${called(agent)} was slashed by ${amount(slashed)}`,
  'Bond.BondUnslashed': ({ agent, amount: back }, called) => `A slash of ${called(agent)} was reversed: ${amount(back)} are back in its bond`,
  'Bond.BondDeposited': ({ agent, amount: added }, called) => `${called(agent)} bonded ${amount(added)}`,
  'Bond.BondWithdrawn': ({ to, amount: back }, called) => `${amount(back)} of a bond went back to ${called(to)}`,
  'Bond.BondLocked': ({ agent, amount: locked }, called) => `${amount(locked)} of the bond of ${called(agent)} were locked for a gig`,
  'Bond.BondLockReduced': ({ agent, amount: freed }, called) => `${amount(freed)} less of the bond of ${called(agent)} are locked for a gig`,
  'Bond.BondUnlocked': ({ agent, amount: locked }, called) => `${amount(locked)} of the bond of ${called(agent)} are free again`,
  'Commerce.JobSettled': ({ payee, amount: paid }, called) => `A job was settled: ${amount(paid)} went to ${called(payee)}`,
  'Commerce.JobCompleted': ({ evaluator }, called) => `${called(evaluator)} accepted the work of a job`,
  'Commerce.JobRejected': ({ rejector }, called) => `${called(rejector)} rejected a job: its money goes back to the client`,
  'Commerce.JobDisputed': ({ disputer }, called) => `${called(disputer)} disputed a job: its money waits for a decision`,
  'Commerce.JobExpired': () => 'A job ended because its time was over',
  'Commerce.JobCancelled': () => 'A job was cancelled',
  'Commerce.JobSubmitted': ({ provider }, called) =>
    provider === undefined ? 'The work of a job was delivered' : `${called(provider)} delivered the work of a job`,
  'Commerce.JobAssigned': ({ assignee }, called) => `A job was given to ${called(assignee)}`,
  'Commerce.JobFunded': ({ funder, client }, called) => `${called(funder ?? client)} paid the budget of a job into the contract`,
  'Commerce.JobCreated': ({ poster, client, budget }, called) =>
    `${called(poster ?? client)} created a job${budget === undefined ? '' : ` of ${amount(budget)}`}`,
  'IdentityRegistry.Registered': ({ agentId, owner }, called) => `Agent ${textOf(agentId)} was entered in the identity registry for ${called(owner)}`,
  'DomainRegistry.DomainMinted': ({ name, owner }, called) => `The name ${textOf(name)} was registered for ${called(owner)}`,
  'DomainRegistry.DomainBurned': ({ name, owner }, called) => `The name ${textOf(name)} of ${called(owner)} was deleted`,
  'DomainRegistry.PrimaryNameSet': ({ owner }, called) => `${called(owner)} chose the name that it goes by`,
  'DomainRegistry.PrimaryNameCleared': ({ owner }, called) => `${called(owner)} goes by no name any more`,
  'DomainRegistry.IncomeWithdrawn': ({ to, amount: income }, called) => `${amount(income)} from the sale of names went to ${called(to)}`,
  'ReputationAdapter.ScoreUpdated': ({ wallet, score }, called) => `The score of ${called(wallet)} was written to this network: ${hundredths(score)}`,
  'ReputationRegistry.NewFeedback': ({ agentId, clientAddress }, called) => `${called(clientAddress)} left feedback on agent ${textOf(agentId)}`,
  'ReputationRegistry.FeedbackRevoked': ({ agentId, clientAddress }, called) =>
    `${called(clientAddress)} took its feedback on agent ${textOf(agentId)} back`,
  'ReputationRegistry.ResponseAppended': ({ agentId, responder }, called) => `${called(responder)} answered feedback on agent ${textOf(agentId)}`,
  'ValidationRegistry.ValidationRequest': ({ agentId, validatorAddress }, called) =>
    `The work of agent ${textOf(agentId)} was put before ${called(validatorAddress)}`,
  'ValidationRegistry.ValidationResponse': ({ agentId, validatorAddress, response }, called) =>
    `${called(validatorAddress)} judged the work of agent ${textOf(agentId)}: ${textOf(response)} of 100`,
}

/** What came with it. */
export const details: Readonly<Record<string, Saying>> = {
  'USDC.Transfer': ({ from, to, value }, called) =>
    from === zero ? `${called(to)} received ${amount(value)} that were minted` : `${called(from)} paid ${amount(value)} to ${called(to)}`,
  'USDC.Approval': ({ owner, spender, value }, called) => `${called(owner)} permitted ${called(spender)} to draw ${amount(value)}`,
  'USDC.Mint': ({ to, amount: minted }, called) => `${amount(minted)} of test money were minted for ${called(to)}`,
  'USDC.AuthorizationUsed': ({ authorizer }, called) => `A payment was made that ${called(authorizer)} had signed`,
  'USDC.AuthorizationCanceled': ({ authorizer }, called) => `${called(authorizer)} cancelled a payment that it had signed`,
  'Escrow.EscrowAccepted': ({ amount: accepted }) => `The escrow accepted ${amount(accepted)}`,
  'Escrow.PayeeSet': ({ payee }, called) => `The money of the gig is for ${called(payee)}`,
  'Escrow.PerGigCapSet': ({ cap }) => `The escrow now holds at most ${amount(cap)} for a gig`,
  'Escrow.TvlCapSet': ({ cap }) => `The escrow now holds at most ${amount(cap)} in all`,
  'Commerce.BudgetSet': ({ amount: budget }) => `The budget of the job is ${amount(budget)}`,
  'Commerce.PaymentReleased': ({ provider, amount: paid }, called) => `The contract paid ${amount(paid)} to ${called(provider)}`,
  'Commerce.PlatformFeePaid': ({ recipient, amount: fee }, called) => `The fee of ${amount(fee)} went to ${called(recipient)}`,
  'Commerce.ProviderSet': ({ provider }, called) => `The provider of the job is ${called(provider)}`,
  'Commerce.Refunded': ({ client, amount: back }, called) => `The contract gave ${amount(back)} back to ${called(client)}`,
  'IdentityRegistry.AgentKeyRegistered': ({ agentId }) => `Identity ${textOf(agentId)} belongs to an agent of this platform`,
  'IdentityRegistry.MetadataSet': ({ agentId, metadataKey }) => `“${textOf(metadataKey)}” of agent ${textOf(agentId)} was written`,
  'IdentityRegistry.URIUpdated': ({ agentId }) => `The description of agent ${textOf(agentId)} has a new address`,
  'Card.Locked': ({ tokenId }) => `Card ${textOf(tokenId)} cannot be sold`,
  'Card.Unlocked': ({ tokenId }) => `Card ${textOf(tokenId)} can be moved`,
  'DomainRegistry.DomainSold': ({ payer, price }, called) => `${called(payer)} paid ${amount(price)} for the name`,
  'DomainRegistry.OperatorLocked': () => 'The name cannot be moved but by the platform',
  'DomainRegistry.OperatorUnlocked': () => 'The name can be moved by its owner again',
  'DomainResolver.AddrChanged': ({ a }, called) => `The name now leads to ${called(a)}`,
  'DomainResolver.AddressChanged': () => 'The name leads to another address',
  'DomainResolver.ContenthashChanged': () => 'The name leads to another content',
  'DomainResolver.NameChanged': ({ name }) => `The address is now called ${textOf(name)}`,
  'DomainResolver.TextChanged': ({ key }) => `The entry “${textOf(key)}” of the name was written`,
  'DomainResolver.VersionChanged': () => 'The entries of the name were cleared',
  'EnsRegistry.NewOwner': ({ owner }, called) => `A name below another one was given to ${called(owner)}`,
  'EnsRegistry.NewResolver': ({ resolver }, called) => `The name is resolved by ${called(resolver)}`,
  'EnsRegistry.NewTTL': () => 'The name has another time to live',
  'EnsRegistry.Transfer': ({ owner }, called) => `The name went to ${called(owner)}`,
  'Batcher.OpResult': ({ ok }) => (ok === true ? 'One act of several was carried out' : 'One act of several was refused, without the others'),
  'Batcher.OpSkipped': () => 'One act of several had been carried out before and was left out',
}

/** What several contracts say alike, by event. */
export const common: Readonly<Record<string, Saying>> = {
  Approval: ({ owner, approved, tokenId }, called) =>
    approved === zero
      ? `${called(owner)} lets nobody move token ${tokenName(tokenId)} any more`
      : `${called(owner)} lets ${called(approved)} move token ${tokenName(tokenId)}`,
  ApprovalForAll: ({ owner, operator, approved }, called) =>
    `${called(owner)} lets ${called(operator)} move ${approved === true ? 'all its tokens' : 'its tokens no more'}`,
  Transfer: ({ from, to, tokenId }, called) =>
    from === zero
      ? `a token was issued to ${called(to)}`
      : to === zero
        ? `token ${tokenName(tokenId)} of ${called(from)} was burned`
        : `${called(from)} gave a token to ${called(to)}`,
  MetadataUpdate: () => 'what a token shows has changed',
  BatchMetadataUpdate: () => 'what the tokens show has changed',
  BaseUriSet: () => 'the tokens are described at another address',
  Paused: ({ account }, called) => `paused by ${called(account)}: it takes nothing new`,
  Unpaused: ({ account }, called) => `no longer paused, by ${called(account)}`,
  RoleGranted: ({ account }, called) => `${called(account)} was given a role`,
  RoleRevoked: ({ account }, called) => `a role was taken from ${called(account)}`,
  RoleAdminChanged: () => 'a role is given by others from now on',
  DefaultAdminTransferScheduled: ({ newAdmin }, called) => `${called(newAdmin)} is to become its administrator`,
  DefaultAdminTransferCanceled: () => 'its administrator stays',
  DefaultAdminDelayChangeScheduled: () => 'the wait before a new administrator is to change',
  DefaultAdminDelayChangeCanceled: () => 'the wait before a new administrator stays',
  EIP712DomainChanged: () => 'what is signed for it has another form',
}

/** A value of a log as text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 1000)
/** An address or a hash in short, another value as it is. */
export const shortOf: Called = value => {
  const text = textOf(value)
  return /^0x[0-9a-f]{40}$/i.test(text) ? shortened(text) : text
}
/** Numbers of names are as long as hashes. */
const tokenName = (value: unknown): string => (textOf(value).length > 12 ? shortened(textOf(value)) : textOf(value))
const amount = (value: unknown): string => (/^\d{1,30}$/.test(textOf(value)) ? money(usd(BigInt(textOf(value)))) : textOf(value))
const hundredths = (value: unknown): string => (/^\d{1,9}$/.test(textOf(value)) ? (Number(textOf(value)) / 100).toFixed(2) : textOf(value))
