import { assertStored } from '../testing/assert-stored.fixture.ts'
import { logOf } from '../testing/golden.fixture.ts'

describe('formula 1', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('1', logOf, '6615d16a7a76b9daa59722c9c75509eb1e941525c41d006d68f515fb36fdbc67')
  })
})
