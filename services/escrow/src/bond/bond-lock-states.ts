import { stateMachine } from '@carapace/store'

export type BondLockState = 'locking' | 'locked' | 'unlocking' | 'ended'

/** The lock of a gig on a bond. One that has ended is no longer part of the bond; only a reorganisation of the chain restores it. */
export const bondLockStates = stateMachine<
  BondLockState,
  'confirm' | 'fail' | 'unlock' | 'confirmUnlock' | 'reverseUnlock' | 'reverseOutsideUnlock' | 'reverseFailure'
>({
  name: 'bond lock',
  initial: 'locking',
  final: ['ended'],
  transitions: {
    locking: { confirm: 'locked', fail: { to: 'ended', byTime: 'the deadline of its command' } },
    // by somebody else: the contract allows it after 180 d
    locked: { unlock: { to: 'unlocking', byTime: '180 d after the lock' }, confirmUnlock: 'ended', fail: 'ended' },
    unlocking: { confirmUnlock: { to: 'ended', byTime: 'retries within minutes, from 180 d on by anybody' }, fail: 'ended' },
    // reverseFailure: a reorganisation included its command after it had failed
    ended: { reverseUnlock: 'unlocking', reverseOutsideUnlock: 'locked', reverseFailure: 'locking' },
  },
})
