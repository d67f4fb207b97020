import { assertStored } from '../testing/assert-stored.fixture.ts'
import { changedLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', changedLogOf, '053e7faa949714195f562c758feb2c2449743e2c58fac090c99ee796d4e4627f')
  })
})
