import { assertStored } from '../testing/assert-stored.fixture.ts'
import { fullLogOf } from '../testing/golden.fixture.ts'

describe('formula 4', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('4', fullLogOf, 'b99be11aeef2b0ca5091767307d394d136d1d62a174d875b64599e5b48110ef3')
  })
})
