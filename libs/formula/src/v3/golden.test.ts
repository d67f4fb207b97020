import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { formulas } from '../formulas.ts'
import { fullLogOf, now } from '../testing/golden.fixture.ts'

describe('formula 3', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    const scores = Array.from({ length: 500 }, (_, seed) => formulas['3'].scoreOf(fullLogOf(seed), now))

    assert.equal(new Set(scores.map(({ fusedScore }) => fusedScore)).size > 100, true)
    assert.equal(
      createHash('sha256').update(JSON.stringify(scores)).digest('hex'),
      '4971c6929426a2533a76d91bec5da3d28b11713f32443554892c967af9cd8042',
    )
  })
})
