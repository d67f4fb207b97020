import { stateMachine } from '@carapace/store'

export type SlashState = 'FROZEN' | 'APPLIED' | 'DROPPED' | 'REVERSED'

/** A slash as the public sees it. `apply` is the confirmation of its command; one without a freeze is shown as applied from then on. */
export const slashStates = stateMachine<SlashState, 'apply' | 'drop' | 'reverse' | 'restore'>({
  name: 'slash',
  initial: 'FROZEN',
  final: ['APPLIED', 'DROPPED', 'REVERSED'],
  transitions: {
    FROZEN: { apply: 'APPLIED', drop: { to: 'DROPPED', byTime: '48 h without an appeal, or 14 d after the dispute' } },
    APPLIED: { apply: 'APPLIED', drop: 'DROPPED', reverse: 'REVERSED' },
    // its command had its effect after it had failed
    DROPPED: { apply: 'APPLIED' },
    // a reorganisation of the chain: the payment that reversed it is lost, or its own block is back
    REVERSED: { restore: 'APPLIED' },
  },
})
