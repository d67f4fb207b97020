import { stateMachine } from '@carapace/store'

/** One document for each pair of agents, however often one follows the other again. */
export const followStates = stateMachine<'active' | 'ended', 'follow' | 'unfollow'>({
  name: 'follow',
  initial: 'active',
  final: [],
  rests: 'an agent may follow another for ever',
  transitions: { active: { unfollow: 'ended' }, ended: { follow: 'active' } },
})
