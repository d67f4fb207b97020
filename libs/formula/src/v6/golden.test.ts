import { assertStored } from '../testing/assert-stored.fixture.ts'
import { changedLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', changedLogOf, '3a1915de02a0382aa0cac87f18c21708a832b0e4fe0db97dcc893d3977595519')
  })
})
