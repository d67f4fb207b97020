import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { formulas } from '../formulas.ts'
import { logOf, now } from '../testing/golden.fixture.ts'

describe('formula 1', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    const scores = Array.from({ length: 500 }, (_, seed) => formulas['1'].scoreOf(logOf(seed), now))

    assert.equal(new Set(scores.map(({ fusedScore }) => fusedScore)).size > 100, true)
    assert.equal(
      createHash('sha256').update(JSON.stringify(scores)).digest('hex'),
      '6615d16a7a76b9daa59722c9c75509eb1e941525c41d006d68f515fb36fdbc67',
    )
  })
})
