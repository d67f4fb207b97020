import type { Dated } from '../facts.ts'
import type { Score } from '../terms.ts'
import { judgementIn } from './components.ts'
import { type Vouching, vouchingOf } from './credits.ts'
import { figuresOf } from './score.ts'
import { advance, apply, type State, start } from './state.ts'
import { type Tuning, tuning } from './tuning.ts'

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
  /** J, in millionths. */
  judgementOf(state: State, now: Date): number
}

/** Formula 2 with other numbers: formulas 3 to 5, and those that the lab tries. @example incrementalWith({ ...tuning, floor: 10_000 }) */
export const incrementalWith = (numbers: Tuning): Incremental => ({
  start,
  apply,
  scoreOf: (state, now) => figuresOf(state, now, numbers).score,
  vouchingOf: (state, now) => vouchingOf(state, figuresOf(state, now, numbers).quality.byCounterparty, now.getTime(), numbers),
  standingOf: (state, now) => {
    const { score, quality } = figuresOf(state, now, numbers)
    return { score, vouching: vouchingOf(state, quality.byCounterparty, now.getTime(), numbers) }
  },
  judgementOf: (state, now) => {
    advance(state, now)
    return judgementIn(state, now).judgement
  },
})

/** Formula 2. */
export const formula2: Incremental = incrementalWith(tuning)

/** The state of a whole log. */
export function stateOf(log: readonly Dated[]): State {
  const state = start()
  for (const fact of log) apply(state, fact)
  return state
}
