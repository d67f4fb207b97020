import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Dated } from '../facts.ts'
import { formulas } from '../formulas.ts'
import type { FormulaVersion } from '../terms.ts'
import { now } from './golden.fixture.ts'

/** A formula gives the scores of 500 logs that it has always given. @param sha256 of them as JSON */
export function assertStored(version: FormulaVersion, logOf: (seed: number) => readonly Dated[], sha256: string): void {
  const scores = Array.from({ length: 500 }, (_, seed) => formulas[version].scoreOf(logOf(seed), now))

  assert.equal(new Set(scores.map(({ fusedScore }) => fusedScore)).size > 100, true)
  assert.equal(createHash('sha256').update(JSON.stringify(scores)).digest('hex'), sha256)
}
