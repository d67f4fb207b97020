import { stateMachine, type Target, type Transitions } from '@carapace/store'
import type { Op, OpState } from './records.ts'

export type CommandTrigger = 'confirm' | 'finalize' | 'retry' | 'requeue' | 'reverse' | 'fail' | 'expire' | 'cancel' | 'nextRound'

type Subject = Pick<Op, 'failLater'>

/** Its owner may have requested the next round meanwhile: that one ends with the effect. */
const late = { when: 'its round was reported failed before', holds: ({ failLater }: Subject) => failLater !== undefined }

/**
 * Of an operation that is confirmed or final. It leaves these states when its block is dropped: by `reverse` when this process sees it, by the others
 * when the receipt read after a crash differs.
 */
const included = {
  confirm: 'CONFIRMED',
  reverse: 'QUEUED',
  retry: 'QUEUED',
  requeue: 'QUEUED',
  fail: 'FAILED',
  expire: 'EXPIRED',
  cancel: 'CANCELLED',
  nextRound: { to: 'QUEUED', guard: late },
} as const

/** Every transition of an operation. Edges to the same state repeat an outcome after a crash. */
const transitions = {
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
  CONFIRMED: { ...included, finalize: { to: 'FINAL', byTime: 'the finality of its network' } },
  FINAL: { ...included, finalize: 'FINAL' },
  // A reorganisation, or a node that held it back, can include its transaction after all: dropped again, it fails again.
  FAILED: { nextRound: 'QUEUED', confirm: 'CONFIRMED' },
  CANCELLED: { nextRound: 'QUEUED', confirm: 'CONFIRMED' },
  EXPIRED: { nextRound: 'QUEUED', confirm: 'CONFIRMED' },
} as const satisfies Transitions<OpState, CommandTrigger, Subject>

export const commandStates = stateMachine<OpState, CommandTrigger, Subject>({
  name: 'command',
  initial: 'QUEUED',
  final: ['FINAL', 'FAILED', 'CANCELLED', 'EXPIRED'],
  transitions,
})

/** The state after a trigger, of the type that the table gives it. @throws INVALID_STATE when the table does not allow it */
export const nextOpState = <Trigger extends Exclude<CommandTrigger, 'nextRound'>>(state: OpState, trigger: Trigger) =>
  commandStates.move(state, trigger) as Target<typeof transitions, Trigger>
