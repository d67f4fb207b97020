import assert from 'node:assert/strict'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { pageQuery } from './fields.ts'
import { requestOf } from './request-of.ts'

const getThing = endpoint({
  method: 'get',
  path: '/things/:id',
  caller: 'public',
  summary: 'One thing',
  query: pageQuery,
  response: z.looseObject({ seen: z.string() }),
})

describe('the request of a call', () => {
  it('has parameters and query where they belong', () => {
    assert.deepEqual(requestOf(getThing, { params: { id: 'x/y z' }, query: { limit: 5, cursor: undefined } }), {
      method: 'GET',
      target: '/things/x%2Fy%20z?limit=5',
    })
  })

  it('needs each parameter of its path', () => {
    for (const params of [{}, { id: '' }]) assert.throws(() => requestOf(getThing, { params: params as { id: string } }), TypeError)
  })
})
