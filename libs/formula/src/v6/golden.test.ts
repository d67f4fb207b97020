import { assertStored } from '../testing/assert-stored.fixture.ts'
import { grownLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', grownLogOf, '')
  })
})
