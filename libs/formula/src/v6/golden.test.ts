import { assertStored } from '../testing/assert-stored.fixture.ts'
import { changedLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', changedLogOf, '8b448cb755e9a1657ccb9d4f3ad0385c4b010fc72422e91845604ee2a15e012c')
  })
})
