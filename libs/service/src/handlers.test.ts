import assert from 'node:assert/strict'
import { endpoint, serviceApi } from '@carapace/api'
import { defineService, type Handlers } from './define.ts'

const read = (path: string) => endpoint({ method: 'get', path, caller: 'public', summary: 'One' })
const api = serviceApi('social', { endpoints: { getFirst: read('/api/first'), getSecond: read('/api/second') } })
const first = { getFirst: () => ({}) } satisfies Handlers<typeof api>
const second = { getSecond: () => ({}) } satisfies Handlers<typeof api>

// Held by the compiler: a line below that compiles without its error fails the build.
describe('the handlers of a service', () => {
  it('are put together from groups that name what they have', () => {
    defineService({ api, stores: () => ({}), http: () => ({ ...first, ...second }) })
  })

  it('do not compile while one is missing', () => {
    // @ts-expect-error getSecond is missing
    defineService({ api, stores: () => ({}), http: () => ({ ...first }) })
  })

  it('do not compile with a name that is not declared', () => {
    // @ts-expect-error there is no getThird
    const third = { getThird: () => ({}) } satisfies Handlers<typeof api>
    assert.deepEqual(Object.keys(third), ['getThird'])
  })
})
