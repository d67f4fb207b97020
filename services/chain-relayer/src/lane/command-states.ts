import { stateMachine } from '@carapace/store'
import type { OpState } from './records.ts'

export type CommandTrigger = 'confirm' | 'finalize' | 'retry' | 'requeue' | 'reverse' | 'fail' | 'expire' | 'cancel' | 'nextRound'

/**
 * Every transition of an operation. Edges to the same state repeat an outcome after a crash. An operation that is confirmed or final leaves
 * these states when its block is dropped: by `reverse` when this process sees it, by the others when the receipt read after a crash differs.
 */
export const commandStates = stateMachine<OpState, CommandTrigger>({
  name: 'command',
  initial: 'QUEUED',
  final: ['FINAL', 'FAILED', 'CANCELLED', 'EXPIRED'],
  transitions: {
    QUEUED: {
      confirm: 'CONFIRMED',
      // Another leader finalized its transaction.
      finalize: 'FINAL',
      retry: 'QUEUED',
      requeue: 'QUEUED',
      fail: { to: 'FAILED', byTime: 'up to five tries, the last after 16 s' },
      expire: { to: 'EXPIRED', byTime: 'its deadline' },
      cancel: 'CANCELLED',
    },
    CONFIRMED: {
      confirm: 'CONFIRMED',
      finalize: { to: 'FINAL', byTime: 'the finality of its network' },
      reverse: 'QUEUED',
      retry: 'QUEUED',
      requeue: 'QUEUED',
      fail: 'FAILED',
      expire: 'EXPIRED',
      cancel: 'CANCELLED',
    },
    FINAL: {
      confirm: 'CONFIRMED',
      finalize: 'FINAL',
      reverse: 'QUEUED',
      retry: 'QUEUED',
      requeue: 'QUEUED',
      fail: 'FAILED',
      expire: 'EXPIRED',
      cancel: 'CANCELLED',
    },
    // A reorganisation during a crash can include its transaction after all.
    FAILED: { nextRound: 'QUEUED', confirm: 'CONFIRMED' },
    CANCELLED: { nextRound: 'QUEUED', confirm: 'CONFIRMED' },
    EXPIRED: { nextRound: 'QUEUED', confirm: 'CONFIRMED' },
  },
})
