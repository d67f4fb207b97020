import { refuse } from '@carapace/api'
import {
  currentVersion,
  type Dated,
  type FormulaVersion,
  formulas,
  type Inputs,
  inputsOf,
  type Logged,
  marketId,
  mergedFacts,
  type Score,
  scoreIn,
  tierOf,
} from '@carapace/formula'
import type { Stored } from '@carapace/store'
import type { Parts } from './parts.ts'
import { ownersOf } from './recompute.ts'
import type { ScoreDoc } from './score.store.ts'

/** A score that was published, with everything it was computed from. */
export interface StoredScore {
  formulaVersion: FormulaVersion
  at: Date
  inputs: Inputs
  log: Logged[]
  facts: Dated[]
  score: Score
}

/**
 * The present score, or that of a row of the history. The present one of a record from before inputs were stored is computed now.
 * @throws NOT_FOUND when the history has no row of that moment, or one from before inputs were stored
 */
export async function storedScore(parts: Parts, doc: Stored<ScoreDoc>, at: string | undefined): Promise<StoredScore> {
  if (at !== undefined) {
    const row = doc.history.find(entry => entry.at.toISOString() === at)
    if (!row?.inputs) return refuse('NOT_FOUND', { resource: 'score' })
    const version = row.formulaVersion ?? '1'
    const past = await readInputs(parts, doc.id, row.inputs)
    const score = formulas[version].scoreOf(past.facts, row.at)
    return { ...past, formulaVersion: version, at: row.at, inputs: row.inputs, score: { ...score, fusedScore: row.score, tier: tierOf(row.score) } }
  }
  if (doc.inputs) {
    const read = await readInputs(parts, doc.id, doc.inputs)
    return { ...read, formulaVersion: doc.formulaVersion ?? '1', at: doc.computedAt, inputs: doc.inputs, score: scoreIn(doc) }
  }
  const log = await parts.audit.factsOf(await ownersOf(parts, doc))
  const [facts, now] = [mergedFacts(doc.id, log), parts.clock.now()]
  const inputs = inputsOf(doc.id, log)
  return { formulaVersion: currentVersion, at: now, inputs, log, facts, score: formulas[currentVersion].scoreOf(facts, now) }
}

async function readInputs({ audit }: Parts, agentId: string, { lastSeq, sources = [] }: Inputs): Promise<Pick<StoredScore, 'log' | 'facts'>> {
  const log = (await audit.factsOf([agentId, ...sources, marketId])).filter(({ seq = 0 }) => seq <= lastSeq)
  return { log, facts: mergedFacts(agentId, log) }
}
