import type { Subscription } from '@carapace/service'
import { ownerAgents } from './domain/agents.ts'
import { domainOutcomes } from './domain/outcomes.ts'
import { directTransfers } from './domain/reconcile.ts'
import { paymentsForNames } from './domain/register-by-payment.ts'
import type { Parts } from './parts.ts'

export const events = (parts: Parts): Subscription[] => [
  ...domainOutcomes(parts),
  ...paymentsForNames(parts),
  ...directTransfers(parts),
  ...ownerAgents(parts),
]
