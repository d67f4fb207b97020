import { stateMachine } from '@carapace/store'

/** completing: decided; the agents are being updated. */
export type MigrationStatus = 'pending' | 'completing' | 'completed' | 'expired' | 'rejected'

export type MigrationTrigger = 'approve' | 'reject' | 'expire' | 'complete' | 'abandon'

/** Every transition of a migration. A decided one is rejected after all when its source cannot migrate any more, or not to its target. */
export const migrationStates = stateMachine<MigrationStatus, MigrationTrigger>({
  name: 'migration',
  initial: 'pending',
  final: ['completed', 'expired', 'rejected'],
  transitions: {
    pending: { approve: 'completing', reject: 'rejected', expire: { to: 'expired', byTime: '7 d after the claim' } },
    completing: {
      complete: { to: 'completed', byTime: 'due since the decision' },
      abandon: { to: 'rejected', byTime: 'due since the decision' },
    },
    completed: {},
    expired: {},
    rejected: {},
  },
})
