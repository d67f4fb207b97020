import type { ValidationStatus } from '@carapace/api'
import { stateMachine } from '@carapace/store'

/** Every transition of a validation (behaviour 5.2). A second round and an appeal are validations of their own. */
export const validationStates = stateMachine<ValidationStatus, 'approve' | 'reject' | 'expire' | 'supersede'>({
  name: 'validation',
  initial: 'pending',
  final: ['approved', 'rejected', 'expired', 'superseded'],
  transitions: {
    pending: {
      approve: 'approved',
      reject: { to: 'rejected', byTime: '72 h after the opening, with rejections of more than half of the panel' },
      expire: { to: 'expired', byTime: '72 h after the opening' },
      supersede: 'superseded',
    },
    approved: {},
    rejected: {},
    expired: {},
    superseded: {},
  },
})
