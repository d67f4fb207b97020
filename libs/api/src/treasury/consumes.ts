import { agentIdentity } from '../agent-facts.ts'
import { chainEvent, chainEventRemoved } from '../chain-relayer/events.ts'
import { outcomesOf } from '../chain-relayer/outcomes.ts'
import { gigPosted, marketplaceSnapshot } from '../marketplace/events.ts'

/** What the treasury service subscribes to. */
export const consumes = [
  ...agentIdentity,
  gigPosted,
  marketplaceSnapshot,
  chainEvent('USDC', 'Transfer'),
  chainEventRemoved,
  ...outcomesOf(['treasury.pay'], ['submitted']),
  // what a reservation pays for: the commands that move money from custodial wallets
  ...outcomesOf(['treasury.pay', 'escrow.lock', 'bond.deposit', 'job.fund', 'domain.mint'], ['confirmed', 'failed', 'finalized', 'reorged']),
  // what an x402 payment at the intake is used for
  ...outcomesOf(['escrow.lock-x402'], ['confirmed', 'failed', 'reorged']),
  ...outcomesOf(['treasury.settle-x402'], ['confirmed', 'failed', 'finalized', 'reorged']),
]
