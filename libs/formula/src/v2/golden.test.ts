import { assertStored } from '../testing/assert-stored.fixture.ts'
import { fullLogOf } from '../testing/golden.fixture.ts'

describe('formula 2', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('2', fullLogOf, '27f1264266416325c31df4c1818f51d6a1cfbeb7facd30dfc4819f0c4031dfa3')
  })
})
