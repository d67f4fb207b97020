import { assertStored } from '../testing/assert-stored.fixture.ts'
import { fullLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', fullLogOf, '189f939ef060986446423b5bcf9cb1a30974617391e2a95372f05cec95d7f7ff')
  })
})
