import { stateMachine } from '@carapace/store'

export type DepositStatus = 'credited' | 'dropped'

/** A credit is final when it is made. Only a chain that drops its block, or includes it again, moves it. */
export const depositStates = stateMachine<DepositStatus, 'drop' | 'include'>({
  name: 'deposit',
  initial: 'credited',
  final: ['credited', 'dropped'],
  transitions: { credited: { drop: 'dropped' }, dropped: { include: 'credited' } },
})
