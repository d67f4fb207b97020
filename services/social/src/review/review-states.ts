import { stateMachine } from '@carapace/store'

/** Neither side reads what the other wrote before it has written itself, or before it is too late to answer in kind. */
export const reviewStates = stateMachine<'hidden' | 'visible', 'publish' | 'expire'>({
  name: 'review',
  initial: 'hidden',
  final: ['visible'],
  transitions: { hidden: { publish: 'visible', expire: { to: 'visible', byTime: '14 d after the settlement' } }, visible: {} },
})
