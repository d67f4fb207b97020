import type { Dated, Logged } from '../facts.ts'
import { marketId, mergedFacts } from '../facts.ts'
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
 * What of an exported score does not follow from its facts; empty when all of it does, byte for byte. Whether the facts are those of the audit log says
 * `GET /api/audit` alone.
 * @throws Error when the file is no export of a score
 */
export function differencesIn(file: ScoreExport): string[] {
  const formula = formulas[file.formulaVersion]
  if (file.format !== 'carapace-score' || !formula || !Array.isArray(file.facts))
    throw new Error('The file is no export of a score of a known formula')
  const log = file.facts.map(fact => ({ ...fact, at: new Date(fact.at) }) as Logged)
  const facts: readonly Dated[] = mergedFacts(file.agentId, log)
  const score = scoreIn(formula.scoreOf(facts, new Date(file.at)))
  return [...misplaced(file), ...differences('inputs', file.inputs, inputsOf(file.agentId, log)), ...differences('score', file.score, score)]
}

/** Facts of others than the agent, those it inherited from and the market, and places that are none or are there twice. */
function misplaced({ agentId, facts }: ScoreExport): string[] {
  const owners = ownersIn(agentId, facts)
  const foreign = [...new Set(facts.map(fact => fact.agentId))].filter(id => !owners.has(id))
  const places = new Map<number, number>()
  for (const { seq } of facts) places.set(seq, (places.get(seq) ?? 0) + 1)
  const wrong = [...places].filter(([seq, count]) => !Number.isSafeInteger(seq) || seq < 1 || count > 1)
  return [
    ...foreign.map(id => `facts: ${agentId} has inherited from no ${id}`),
    ...wrong.map(([seq, count]) => `facts: the place ${seq} ${count > 1 ? `is there ${count} times` : 'is none of the log'}`),
  ]
}

function ownersIn(agentId: string, facts: ScoreExport['facts']): ReadonlySet<unknown> {
  const owners = new Set<unknown>([agentId, marketId])
  // a set goes on with what is added to it under way
  for (const owner of owners) for (const fact of facts) if (fact.type === 'inherited' && fact.agentId === owner) owners.add(fact.from)
  return owners
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
