import { assertStored } from '../testing/assert-stored.fixture.ts'
import { fullLogOf } from '../testing/golden.fixture.ts'

describe('formula 3', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    assertStored('3', fullLogOf, '4971c6929426a2533a76d91bec5da3d28b11713f32443554892c967af9cd8042')
  })
})
