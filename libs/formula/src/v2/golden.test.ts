import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { formulas } from '../formulas.ts'
import { fullLogOf, now } from '../testing/golden.fixture.ts'

describe('formula 2', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    const scores = Array.from({ length: 500 }, (_, seed) => formulas['2'].scoreOf(fullLogOf(seed), now))

    assert.equal(new Set(scores.map(({ fusedScore }) => fusedScore)).size > 100, true)
    assert.equal(
      createHash('sha256').update(JSON.stringify(scores)).digest('hex'),
      '27f1264266416325c31df4c1818f51d6a1cfbeb7facd30dfc4819f0c4031dfa3',
    )
  })
})
