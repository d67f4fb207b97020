import type { Subscription } from '@carapace/service'
import { bondEvents } from './bond/events.ts'
import { bondChain } from './bond/outcomes/outcomes.ts'
import { claimEvents } from './claim/events.ts'
import { escrowFacts } from './escrow/events.ts'
import { escrowChain } from './escrow/outcomes/outcomes.ts'
import { paymentsForGigs } from './funding/fund-by-payment.ts'
import type { Parts } from './parts.ts'
import { receiptEvents } from './receipt/events.ts'
import { rewardEvents } from './reward/events.ts'
import { slashEvents } from './slash/events.ts'
import { slashChain } from './slash/outcomes.ts'

export const events = (parts: Parts): Subscription[] => [
  ...escrowFacts(parts),
  ...escrowChain(parts),
  ...paymentsForGigs(parts),
  ...bondEvents(parts),
  ...slashEvents(parts),
  ...bondChain(parts),
  ...slashChain(parts),
  ...receiptEvents(parts),
  ...rewardEvents(parts),
  ...claimEvents(parts),
]
