import type { Subscription } from '@carapace/service'
import { escrowChain } from './escrow/chain.ts'
import { escrowFacts } from './escrow/events.ts'
import type { Parts } from './parts.ts'
import { receiptEvents } from './receipt/events.ts'

export const events = (parts: Parts): Subscription[] => [
  ...parts.agents.subscriptions,
  ...parts.custodial.subscriptions,
  ...escrowFacts(parts),
  ...escrowChain(parts),
  ...receiptEvents(parts),
]
