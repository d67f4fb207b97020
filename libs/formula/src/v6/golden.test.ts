import { assertStored } from '../testing/assert-stored.fixture.ts'
import { changedLogOf } from '../testing/golden.fixture.ts'

describe('formula 6', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('6', changedLogOf, 'afc081fad279e368dec1aafcd76427d06da43a5f609596af1d673c4cf857e4cf')
  })
})
