import { type Dated, standingFacts } from './facts.ts'
import type { FormulaVersion, Score } from './terms.ts'
import { scoreOf as scoreOf1 } from './v1/score.ts'
import type { Vouching } from './v2/credits.ts'
import { formula2, type Incremental, stateOf } from './v2/formula.ts'
import type { State } from './v2/state.ts'
import { formula3 } from './v3/formula.ts'
import { formula4 } from './v4/formula.ts'
import { formula5 } from './v5/formula.ts'
import { formula6 } from './v6/formula.ts'

/** One way to compute a score. Versions that a score was stored with are never changed or deleted: their scores stay explainable. */
export interface Formula {
  version: FormulaVersion
  /** A pure function of the log of an agent, in any order of arrival, and the moment: the same facts give the same score, byte for byte. */
  scoreOf(log: readonly Dated[], now: Date): Score
  /** The same at several moments that never go back. */
  scoresOf(log: readonly Dated[]): (now: Date) => Score
}

const byState = (version: FormulaVersion, { scoreOf }: Incremental): Formula => ({
  version,
  scoreOf: (log, now) => scoreOf(stateOf(log), now),
  scoresOf: log => {
    const state = stateOf(log)
    return now => scoreOf(state, now)
  },
})

export const formulas: Readonly<Record<FormulaVersion, Formula>> = {
  '1': {
    version: '1',
    scoreOf: (log, now) => scoreOf1(standingFacts(log, now), now),
    scoresOf: log => now => scoreOf1(standingFacts(log, now), now),
  },
  '2': byState('2', formula2),
  '3': byState('3', formula3),
  '4': byState('4', formula4),
  '5': byState('5', formula5),
  '6': byState('6', formula6),
}

/** The formula that follows each agent in a state, which serves no other one. What facts store of others, and J, is by it, whichever is in force. */
export const followed: Incremental = formula6
const followedVersion = '6'

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
