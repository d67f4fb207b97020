import { stateMachine, type Target, type Transitions } from '@carapace/store'
import type { TxState } from './records.ts'

export type TransactionTrigger = 'accept' | 'succeed' | 'revert' | 'displace' | 'reopen' | 'finalize' | 'restore'

/**
 * Every transition of a nonce slot. A VOID record holds no slot: it is made to end an operation without a transaction.
 * - displace: another transaction used the nonce
 * - reopen: its block, or the one that displaced it, was dropped, or a crash left it unknown: the same bytes are sent again
 * - restore: a reorganisation dropped the block of a final transaction
 */
const transitions = {
  SIGNED: {
    accept: { to: 'ACCEPTED', byTime: 'sent again until the node accepts it' },
    succeed: 'MINED_OK',
    revert: 'MINED_REVERTED',
    displace: 'REPLACED',
  },
  ACCEPTED: {
    succeed: { to: 'MINED_OK', byTime: 'its fee rises until a block includes it' },
    revert: 'MINED_REVERTED',
    displace: 'REPLACED',
    reopen: 'ACCEPTED',
  },
  MINED_OK: {
    succeed: 'MINED_OK',
    revert: 'MINED_REVERTED',
    finalize: { to: 'FINAL', byTime: 'the finality of its network' },
    reopen: 'ACCEPTED',
  },
  MINED_REVERTED: {
    succeed: 'MINED_OK',
    revert: 'MINED_REVERTED',
    finalize: { to: 'FINAL', byTime: 'the finality of its network' },
    reopen: 'ACCEPTED',
  },
  FINAL: { restore: 'MINED_OK' },
  REPLACED: { reopen: 'ACCEPTED' },
  VOID: { finalize: { to: 'FINAL', byTime: 'due once its event is published' } },
} as const satisfies Transitions<TxState, TransactionTrigger>

export const transactionStates = stateMachine<TxState, TransactionTrigger>({
  name: 'transaction',
  initial: 'SIGNED',
  startsIn: { VOID: 'an operation that ends without a transaction' },
  final: ['FINAL', 'REPLACED'],
  transitions,
})

/** The state after a trigger, of the type that the table gives it. @throws INVALID_STATE when the table does not allow it */
export const nextTxState = <Trigger extends TransactionTrigger>(state: TxState, trigger: Trigger) =>
  transactionStates.move(state, trigger) as Target<typeof transitions, Trigger>
