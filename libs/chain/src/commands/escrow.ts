import { z } from 'zod'
import { fundingSource } from '../authorization.ts'
import { type ContractCall, callAt, command, type EffectCheck, type Need, nothing } from '../command.ts'
import { address, addressOrZero, amount, positive, recordId } from '../fields.ts'
import { escrowSlot, onChainKey } from '../keys.ts'
import { authorizationTuple, fundingReverts, permitOf, signedBy } from './funding.ts'

/** `contract`: the one that the escrow was opened on; records from before it was stored are on the first. */
const gig = { gigId: recordId, poster: address, contract: address.optional() }
interface Slot {
  gigId: string
  poster: string
  contract?: string | undefined
}
/** A call of the contract that has the slot. */
const on = ({ contract }: Slot, fn: string, args: readonly unknown[]): ContractCall => callAt('Escrow', contract, fn, args)
const aggregate = ({ gigId }: { gigId: string }) => `gig:${gigId}`
const slotOf = (a: Slot) => escrowSlot(a.gigId, a.poster)

/** States of a slot, as the contract numbers them. */
const Status = { Locked: 2n, Disputed: 3n, Released: 4n, Refunded: 5n } as const
interface Lock {
  status: bigint
  approved: boolean
  payee: string
  amount: bigint
}
const slotHolds = (a: Slot, isOurs: (lock: Lock) => boolean): EffectCheck => ({
  ...on(a, 'getLock', [slotOf(a)]),
  isOurs: ([lock]) => isOurs(lock as Lock),
})

/** What puts a gig's budget into its slot. */
const lockKinds = ['escrow.lock', 'escrow.lock-x402', 'escrow.accept'] as const
const otherLocks = (kind: (typeof lockKinds)[number]) => lockKinds.filter(other => other !== kind)
/** A direct lock that is paired with its payee needs none of them. */
const locks: readonly Need[] = lockKinds.map(kind => ({ kind }))

/** The cap counts the locks of all gigs. */
const freedBy = { Escrow_TvlCapReached: ['escrow.settle'] } as const

/** What no further block changes about a lock, for any payer. */
const lockReverts = ['Escrow_ZeroAddress', 'Escrow_PosterIsPayee', 'Escrow_AmountOutOfRange', 'Escrow_SlotTaken', 'Funds_ShortTransfer']

/** Locks a gig's budget; `payee` may be the zero address until the gig is assigned. */
export const escrowLock = command({
  kind: 'escrow.lock',
  args: { ...gig, payee: addressOrZero, amount: positive, source: fundingSource },
  key: ['gigId'],
  aggregate,
  gas: 330_000n,
  batchable: true,
  prelude: a => permitOf(a.source, a.poster, 'Escrow', a.contract),
  authorization: a =>
    a.source.kind === 'custodial'
      ? { type: 'ReceiveWithAuthorization', from: a.source.from, to: a.contract ?? 'Escrow', value: a.amount, nonce: slotOf(a) }
      : undefined,
  finalReverts: [...lockReverts, ...fundingReverts],
  needs: nothing,
  isEntry: true,
  freedBy,
  call: (a, custodial) => {
    const signed = signedBy(a.source, custodial)
    return signed
      ? on(a, 'lockWithAuthorization', [onChainKey(a.gigId), a.poster, a.payee, a.amount, authorizationTuple(signed)])
      : on(a, 'lockFor', [onChainKey(a.gigId), a.poster, a.payee, a.amount])
  },
  effect: a => slotHolds(a, lock => lock.status >= Status.Locked && lock.amount === a.amount),
  sameEffect: otherLocks('escrow.lock'),
})

/** Locks what an x402 payment has sent to the intake: the lane's own address, which `payTo` names, since a former key pays out what was paid to it. */
export const escrowLockX402 = command({
  kind: 'escrow.lock-x402',
  args: { ...gig, payee: addressOrZero, amount: positive, payTo: address.optional() },
  key: ['gigId'],
  aggregate,
  gas: 260_000n,
  batchable: false,
  sender: ({ payTo }) => payTo,
  finalReverts: lockReverts,
  needs: nothing,
  isEntry: true,
  freedBy,
  call: a => on(a, 'lockUSDCViaX402', [onChainKey(a.gigId), a.poster, a.payee, a.amount]),
  effect: a => slotHolds(a, lock => lock.status >= Status.Locked && lock.amount === a.amount),
  sameEffect: otherLocks('escrow.lock-x402'),
})

/** Accepts a direct lock of exactly this amount. */
export const escrowAccept = command({
  kind: 'escrow.accept',
  args: { ...gig, amount: positive },
  key: ['gigId'],
  aggregate,
  gas: 90_000n,
  batchable: true,
  finalReverts: ['Escrow_AmountMismatch'],
  needs: nothing,
  freedBy,
  call: a => on(a, 'accept', [slotOf(a), a.amount]),
  effect: a => slotHolds(a, lock => lock.status >= Status.Locked && lock.amount === a.amount),
  sameEffect: otherLocks('escrow.accept'),
})

export const escrowPayee = command({
  kind: 'escrow.payee',
  args: { ...gig, assigneeId: recordId, payee: address, amount: positive },
  key: ['gigId', 'assigneeId'],
  aggregate,
  gas: 100_000n,
  batchable: true,
  finalReverts: ['Escrow_ZeroAddress', 'Escrow_PosterIsPayee', 'Escrow_AmountMismatch', 'Escrow_PayeeUnchanged'],
  needs: () => locks,
  freedBy,
  call: a => on(a, 'setPayee', [slotOf(a), a.payee, a.amount]),
  effect: a => slotHolds(a, lock => lock.payee === a.payee),
})

export const escrowDispute = command({
  kind: 'escrow.dispute',
  args: gig,
  key: ['gigId'],
  aggregate,
  gas: 80_000n,
  batchable: true,
  finalReverts: [],
  needs: () => locks,
  call: a => on(a, 'dispute', [slotOf(a)]),
  effect: a => slotHolds(a, lock => lock.status === Status.Disputed),
})

/** Marks the slot so that time alone pays the payee. */
export const escrowApprove = command({
  kind: 'escrow.approve',
  args: gig,
  key: ['gigId'],
  aggregate,
  gas: 80_000n,
  batchable: true,
  finalReverts: ['Escrow_AlreadyApproved'],
  needs: () => [...locks, { kind: 'escrow.payee' }],
  call: a => on(a, 'markApproved', [slotOf(a)]),
  effect: a => slotHolds(a, lock => lock.approved),
})

/** One key for both outcomes: a gig is released or refunded, never both. */
export const escrowSettle = command({
  kind: 'escrow.settle',
  args: {
    ...gig,
    outcome: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('release'), fee: amount, splitTo: addressOrZero, splitAmount: amount }),
      z.object({ kind: z.literal('refund') }),
    ]),
  },
  key: ['gigId'],
  aggregate,
  gas: 230_000n,
  batchable: true,
  finalReverts: ['Escrow_FeeTooHigh', 'Escrow_SplitTooHigh', 'Escrow_SplitWithoutReceiver', 'Escrow_AlreadyApproved'],
  needs: () => [...locks, { kind: 'escrow.payee' }],
  call: a =>
    a.outcome.kind === 'release'
      ? on(a, 'release', [slotOf(a), a.outcome.fee, a.outcome.splitTo, a.outcome.splitAmount])
      : on(a, 'refund', [slotOf(a)]),
  effect: a => slotHolds(a, lock => lock.status === (a.outcome.kind === 'release' ? Status.Released : Status.Refunded)),
})
