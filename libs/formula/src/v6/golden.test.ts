import { assertStored } from '../testing/assert-stored.fixture.ts'
import { changedLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', changedLogOf, 'a23a508603732dea1573b39213a9a1f6076c098cf0474b965af27a3956e8722d')
  })
})
