import type { EscrowStatus } from '@carapace/api'
import { stateMachine } from '@carapace/store'

/** `none`: the gig is known, no money was locked for it. */
export type Status = EscrowStatus | 'none'
export type EscrowTrigger =
  | 'reserve'
  | 'decline'
  | 'confirm'
  | 'fail'
  | 'dispute'
  | 'release'
  | 'refund'
  | 'pay'
  | 'repay'
  | 'reopen'
  | 'reverse'
  | 'loseLock'
  | 'lockLate'

/** Behaviour 6.1. Only a reorganisation of the chain leaves a final state: the settlement fails after all, or the lock was never made. */
export const escrowStates = stateMachine<Status, EscrowTrigger>({
  name: 'escrow',
  initial: 'none',
  final: ['released', 'refunded', 'unfunded'],
  transitions: {
    // lockLate: the chain made the lock after its failure had been published
    none: { reserve: 'funding', decline: { to: 'unfunded', byTime: 'the end of its gig' }, lockLate: 'locked' },
    funding: { confirm: 'locked', fail: { to: 'none', byTime: 'the deadline of its command' } },
    locked: {
      dispute: 'disputed',
      release: 'releasing',
      refund: { to: 'refunding', byTime: '48 h after a frozen rejection, or 180 d after the lock' },
      repay: 'refunded',
      reopen: 'funding',
      fail: 'none',
    },
    disputed: {
      release: 'releasing',
      refund: { to: 'refunding', byTime: '14 d after the dispute, unless the default is a release' },
      repay: 'refunded',
      reopen: 'funding',
      fail: 'none',
    },
    releasing: {
      pay: { to: 'released', byTime: 'retries within minutes, then the contract 180 d after the lock' },
      repay: 'refunded',
      loseLock: 'unfunded',
    },
    refunding: { repay: { to: 'refunded', byTime: 'retries within minutes, then the contract 180 d after the lock' }, loseLock: 'unfunded' },
    released: { reverse: 'releasing', loseLock: 'unfunded' },
    refunded: { reverse: 'refunding', loseLock: 'unfunded' },
    unfunded: { lockLate: 'locked' },
  },
})

/** States that the chain ends within minutes, and where they may lead; a reorganisation moves an escrow back into one of them. */
export const passingStates = {
  funding: ['none', 'locked', 'disputed'],
  releasing: ['released'],
  refunding: ['refunded'],
} as const satisfies Partial<Record<Status, readonly Status[]>>

/** States in which the contract holds the budget, as far as we know. */
export const holdsMoney = (status: Status): boolean => ['locked', 'disputed', 'releasing', 'refunding'].includes(status)
