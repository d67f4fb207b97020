import type { Draft } from '@carapace/api'
import { type Bond, settled } from './bond.ts'
import type { BondEvent, BondFailure } from './bond-event.ts'

/** A change of a bond with everything that must be written with it. */
export interface BondDecision {
  state: Bond
  events: Draft[]
  history: BondEvent[]
  failures: BondFailure[]
}
export const bondDecision = (state: Bond, rest: Partial<Omit<BondDecision, 'state'>> = {}): BondDecision => ({
  state: settled(state),
  events: [],
  history: [],
  failures: [],
  ...rest,
})
