import { id } from 'ethers'
import { z } from 'zod'
import { type ContractCall, callAt, command, type EffectCheck, type Need, nothing } from '../command.ts'
import { address, keyId, positive, recordId } from '../fields.ts'
import { validationKey } from '../keys.ts'

const round = z.int().min(1).max(100).default(1)
/** What an address is to a validation, as the contract numbers it. */
const Seat = { Candidate: 2n, VotedApprove: 3n, VotedReject: 4n, Replaced: 5n } as const
/** `contract`: the one that the validation was opened on, where that is not the first. */
const validation = { validationId: recordId, validationRound: round, contract: address.optional() }
interface Opened {
  validationId: string
  validationRound: number
  contract?: string | undefined
}
/** A call of the contract that has the validation, about it. */
const on = (a: Opened, fn: string, ...args: readonly unknown[]): ContractCall =>
  callAt('SwarmValidator', a.contract, fn, [validationKey(a.validationId, a.validationRound), ...args])
const seat = (a: Opened, account: string, isOurs: (seat: bigint) => boolean): EffectCheck => ({
  ...on(a, 'seatOf', account),
  isOurs: ([found]) => isOurs(found as bigint),
})
const aggregate = ({ validationId }: { validationId: string }) => `validation:${validationId}`

/** The panel of that round, with those who replaced a member. */
const panel = ({ validationRound }: { validationRound: number }): readonly Need[] =>
  (['swarm.open', 'swarm.replace'] as const).map(kind => ({ kind, where: { validationRound } }))

/** Puts a panel on chain; sent with the first vote. `validationRound` counts panels, not tries of the command. */
export const swarmOpen = command({
  kind: 'swarm.open',
  args: {
    ...validation,
    parties: z.array(address).min(1).max(20),
    candidates: z.array(address).min(1).max(15),
    threshold: z.int().min(1).max(15),
  },
  key: ['validationId', 'validationRound'],
  aggregate,
  gas: ({ candidates, parties }) => 130_000n + 25_000n * BigInt(candidates.length + parties.length),
  batchable: true,
  finalReverts: ['Swarm_AlreadyExists', 'Swarm_CandidateCount', 'Swarm_ThresholdOutOfRange', 'Swarm_SeatTaken', 'Swarm_ZeroAddress'],
  needs: nothing,
  call: a => on(a, 'createValidation', a.parties, a.candidates, a.threshold),
  effect: a => seat(a, a.candidates[0]!, found => found >= Seat.Candidate),
})

export const swarmReplace = command({
  kind: 'swarm.replace',
  args: { ...validation, out: address, in: address },
  key: ['validationId', 'out'],
  aggregate,
  gas: 90_000n,
  batchable: true,
  finalReverts: ['Swarm_Resolved', 'Swarm_SeatTaken', 'Swarm_ZeroAddress'],
  needs: panel,
  call: a => on(a, 'replaceCandidate', a.out, a.in),
  effect: a => seat(a, a.out, found => found === Seat.Replaced),
})

export const swarmVote = command({
  kind: 'swarm.vote',
  args: { ...validation, voter: address, approve: z.boolean() },
  key: ['validationId', 'voter'],
  aggregate,
  gas: 110_000n,
  batchable: true,
  finalReverts: ['Swarm_Resolved'],
  needs: panel,
  call: a => on(a, 'recordVote', a.voter, a.approve),
  effect: a => seat(a, a.voter, found => found === (a.approve ? Seat.VotedApprove : Seat.VotedReject)),
})

/** Pays a claim out of the fee pool, which is the first contract of its name; it pays each claim once. */
export const rewardPay = command({
  kind: 'reward.pay',
  args: { claimId: keyId, to: address, amount: positive },
  key: ['claimId'],
  aggregate: ({ claimId }) => `claim:${claimId}`,
  gas: 110_000n,
  batchable: true,
  finalReverts: ['Swarm_ZeroAddress'],
  needs: nothing,
  call: a => ({ contract: 'SwarmValidator', fn: 'payReward', args: [claimKey(a.claimId), a.to, a.amount] }),
  effect: a => ({ contract: 'SwarmValidator', fn: 'isDone', args: [claimKey(a.claimId)], isOurs: ([done]) => done === true }),
})

/** On-chain key of a reward claim. */
export const claimKey = (claimId: string) => id(claimId)
