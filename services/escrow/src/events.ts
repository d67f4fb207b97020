import type { Subscription } from '@carapace/service'
import { bondChain } from './bond/chain.ts'
import { bondEvents } from './bond/events.ts'
import { escrowChain } from './escrow/chain.ts'
import { escrowFacts } from './escrow/events.ts'
import type { Parts } from './parts.ts'
import { receiptEvents } from './receipt/events.ts'
import { rewardEvents } from './reward/events.ts'

export const events = (parts: Parts): Subscription[] => [
  ...parts.agents.subscriptions,
  ...parts.custodial.subscriptions,
  ...parts.performances.subscriptions,
  ...escrowFacts(parts),
  ...escrowChain(parts),
  ...bondEvents(parts),
  ...bondChain(parts),
  ...receiptEvents(parts),
  ...rewardEvents(parts),
]
