export { type Explanation, explain, explaining } from './explain.ts'
export {
  appliedSlashes,
  type CounterpartyChange,
  clamp,
  type Dated,
  daysBetween,
  type Fact,
  isBonded,
  type Logged,
  marketId,
  mergedFacts,
  type Of,
  standingFacts,
  usdcOf,
  within,
} from './facts.ts'
export { type Formula, figuresAt, followed, formulas, judgementAt } from './formulas.ts'
export { type Inputs, inputsOf } from './inputs.ts'
export type { Contribution } from './lines.ts'
export { maturityOf, vouchersNeeded, vouchesFrom } from './maturity.ts'
export {
  type Components,
  currentVersion,
  type FormulaVersion,
  type Lane,
  lanes,
  minBondMicro,
  newJudgement,
  type Score,
  scoreWeights,
  shadowVersion,
  startScore,
  type Tier,
  tierFloors,
  tierOf,
  tiers,
} from './terms.ts'
export { tunings } from './tunings.ts'
export { cappedByCounterparty } from './v1/components.ts'
export { idleDays } from './v1/score.ts'
export type { Vouching } from './v2/credits.ts'
export { type Incremental, incrementalWith, stateOf } from './v2/formula.ts'
export { type Judged, judgementOf } from './v2/judgement.ts'
export type { State } from './v2/state.ts'
export type { Tuning } from './v2/tuning.ts'
export { exportedFacts, type ScoreExport, scoreIn } from './verify/verify.ts'
