import { type Dated, standingFacts } from './facts.ts'
import type { FormulaVersion, Score } from './terms.ts'
import { tunings } from './tunings.ts'
import { scoreOf as scoreOf1 } from './v1/score.ts'
import type { Vouching } from './v2/credits.ts'
import { type Incremental, incrementalWith, stateOf } from './v2/formula.ts'
import type { State } from './v2/state.ts'

/** One way to compute a score. Versions that a score was stored with are never changed or deleted: their scores stay explainable. */
export interface Formula {
  version: FormulaVersion
  /** A pure function of the log of an agent, in any order of arrival, and the moment: the same facts give the same score, byte for byte. */
  scoreOf(log: readonly Dated[], now: Date): Score
  /** The same at several moments that never go back. */
  scoresOf(log: readonly Dated[]): (now: Date) => Score
}

const byState = (version: keyof typeof tunings): Formula => {
  const { scoreOf } = incrementalWith(tunings[version])
  return {
    version,
    scoreOf: (log, now) => scoreOf(stateOf(log), now),
    scoresOf: log => {
      const state = stateOf(log)
      return now => scoreOf(state, now)
    },
  }
}

const numbered = Object.keys(tunings) as (keyof typeof tunings)[]

export const formulas: Readonly<Record<FormulaVersion, Formula>> = {
  '1': {
    version: '1',
    scoreOf: (log, now) => scoreOf1(standingFacts(log, now), now),
    scoresOf: log => now => scoreOf1(standingFacts(log, now), now),
  },
  ...(Object.fromEntries(numbered.map(version => [version, byState(version)])) as Record<keyof typeof tunings, Formula>),
}

/** The formula that follows each agent in a state, which serves no other one. What facts store of others, and J, is by it, whichever is in force. */
const followedVersion = '6'
export const followed: Incremental = incrementalWith(tunings[followedVersion])

/** What is computed of an agent at a moment: its log is replayed by no formula that has followed it in the state. */
export interface Followed {
  scoreBy(version: FormulaVersion): Score
  /** The numbers that facts of its counterparties store of it, whichever formula is in force. */
  vouching: Vouching
  /** J, whichever formula is in force. */
  judgement: number
}

export function figuresAt(log: readonly Dated[], state: State, now: Date): Followed {
  const { score, vouching } = followed.standingOf(state, now)
  const scoreBy = (version: FormulaVersion) => (version === followedVersion ? score : formulas[version].scoreOf(log, now))
  return { scoreBy, vouching, judgement: followed.judgementOf(state, now) }
}

/** J: how reliably an agent judges the work of others, in millionths, whichever formula is in force. */
export const judgementAt = (log: readonly Dated[], now: Date): number => followed.judgementOf(stateOf(log), now)
