import { assertStored } from '../testing/assert-stored.fixture.ts'
import { changedLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', changedLogOf, '7f60d02aabd23176ced2917e41d910e40fd4c5e078acf20b354fa4ba6c507568')
  })
})
