import { assertStored } from '../testing/assert-stored.fixture.ts'
import { fullLogOf } from '../testing/golden.fixture.ts'

describe('formula 5', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('5', fullLogOf, '5b0894debc07894385962a7752b00d83e08b503ecb3c8e0a19a1a586d3c79e9b')
  })
})
