import { stateMachine } from '@carapace/store'

export type BondMoveState = 'reserving' | 'sent' | 'confirmed' | 'failed'

/** A command that moves stake. It is part of the bond until it is confirmed or failed. */
export const bondMoveStates = stateMachine<BondMoveState, 'send' | 'confirm' | 'fail' | 'reverse'>({
  name: 'bond event',
  initial: 'reserving',
  final: ['confirmed', 'failed'],
  transitions: {
    reserving: { send: 'sent', fail: { to: 'failed', byTime: "treasury's answer, requested again every 5 s" } },
    sent: { confirm: 'confirmed', fail: { to: 'failed', byTime: 'the deadline of its command' } },
    confirmed: { reverse: 'failed' },
    // a reorganisation included it after all
    failed: { confirm: 'confirmed' },
  },
})
