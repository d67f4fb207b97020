import type { Dated, Logged } from '../facts.ts'
import { mergedFacts } from '../facts.ts'
import { formulas } from '../formulas.ts'
import { type Inputs, inputsOf } from '../inputs.ts'
import type { FormulaVersion, Score } from '../terms.ts'

/** A stored score with its inputs, as `GET /api/audit/agents/:id/export` answers. */
export interface ScoreExport {
  format: 'carapace-score'
  agentId: string
  formulaVersion: FormulaVersion
  /** When it was computed. */
  at: string
  inputs: Inputs
  /** Facts of the agent, of those it inherited from and of the market, with their places in the audit log. */
  facts: (Record<string, unknown> & { seq: number; agentId: string; at: string; type: string })[]
  score: Score
}

/** The facts of a score as they are exported. */
export const exportedFacts = (log: readonly Logged[]): ScoreExport['facts'] =>
  log.map(({ at, seq = 0, ...fact }) => ({ seq, at: at.toISOString(), ...fact }))

/** Only the score, without what a record has besides. */
export const scoreIn = ({ fusedScore, tier, components, penalty, decay }: Score): Score => ({ fusedScore, tier, components, penalty, decay })

/**
 * What of an exported score does not follow from its facts; empty when all of it does, byte for byte.
 * @throws Error when the file is no export of a score
 */
export function differencesIn(file: ScoreExport): string[] {
  const formula = formulas[file.formulaVersion]
  if (file.format !== 'carapace-score' || !formula || !Array.isArray(file.facts))
    throw new Error('The file is no export of a score of a known formula')
  const log = file.facts.map(fact => ({ ...fact, at: new Date(fact.at) }) as Logged)
  const facts: readonly Dated[] = mergedFacts(file.agentId, log)
  const score = scoreIn(formula.scoreOf(facts, new Date(file.at)))
  return [...differences('inputs', file.inputs, inputsOf(file.agentId, log)), ...differences('score', file.score, score)]
}

/** Each field whose text differs. */
function differences(path: string, stated: unknown, computed: unknown): string[] {
  if (isRecord(stated) && isRecord(computed))
    return [...new Set([...Object.keys(stated), ...Object.keys(computed)])]
      .sort()
      .flatMap(key => differences(`${path}.${key}`, stated[key], computed[key]))
  const [left, right] = [JSON.stringify(stated), JSON.stringify(computed)]
  return left === right ? [] : [`${path}: the file says ${left}, its facts give ${right}`]
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
