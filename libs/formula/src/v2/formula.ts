import type { CounterpartyChange, Dated } from '../facts.ts'
import type { Score } from '../terms.ts'
import { changesIn, counterpartiesIn } from './changes.ts'
import { judgementIn } from './components.ts'
import { type Vouching, vouchingOf } from './credits.ts'
import { figuresOf } from './score.ts'
import { advance, apply, type State, start } from './state.ts'
import type { Tuning } from './tuning.ts'

/** A formula that follows an agent fact by fact. Moments that are computed never go back. */
export interface Incremental {
  start(): State
  /** In the time of one counterparty's outcomes; facts may come in any order. */
  apply(state: State, fact: Dated): void
  /** In the time of the counterparties of 365 days. */
  scoreOf(state: State, now: Date): Score
  /** What facts of its counterparties store of the agent. */
  vouchingOf(state: State, now: Date): Vouching
  /** Both, in the time of one. */
  standingOf(state: State, now: Date): { score: Score; vouching: Vouching }
  /** Whose numbers may have changed since the agent dealt with them, and what its log does not say of them yet. */
  counterpartiesOf(state: State, now: Date): string[]
  changesOf(state: State, now: Date, numbersOf: (agentId: string) => Vouching | undefined): CounterpartyChange[]
  /** J, in millionths. */
  judgementOf(state: State, now: Date): number
}

/** A formula by its numbers: one of `tunings`, or one that the lab tries. @example incrementalWith({ ...tunings['6'], floor: 10_000 }) */
export const incrementalWith = (numbers: Tuning): Incremental => ({
  start,
  apply,
  scoreOf: (state, now) => figuresOf(state, now, numbers).score,
  vouchingOf: (state, now) => vouchingOf(state, figuresOf(state, now, numbers).quality.byCounterparty, now.getTime(), numbers),
  standingOf: (state, now) => {
    const { score, quality } = figuresOf(state, now, numbers)
    return { score, vouching: vouchingOf(state, quality.byCounterparty, now.getTime(), numbers) }
  },
  counterpartiesOf: (state, now) => counterpartiesIn(state, now, numbers),
  changesOf: (state, now, numbersOf) => changesIn(state, now, numbersOf, numbers),
  judgementOf: (state, now) => {
    advance(state, now)
    return judgementIn(state, now).judgement
  },
})

/** The state of a whole log. */
export function stateOf(log: readonly Dated[]): State {
  const state = start()
  for (const fact of log) apply(state, fact)
  return state
}
