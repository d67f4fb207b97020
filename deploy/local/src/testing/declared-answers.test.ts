import assert from 'node:assert/strict'
import { apis, apiVersion, openapi } from '@carapace/api'
import type { Exchange } from '@carapace/testing'
import { answerCheck } from './declared-answers.ts'

describe('the check of answers by the OpenAPI document', () => {
  const faultOf = answerCheck(openapi(Object.values(apis), apiVersion) as never)
  const exchange = (status: number, body: unknown, type = 'application/json; charset=utf-8', request?: unknown): Exchange => ({
    method: request ? 'POST' : 'GET',
    path: request ? '/api/x402/pay' : '/api/networks?x=1',
    options: request ? { body: request } : {},
    answer: { status, body, headers: new Headers({ 'content-type': type }) },
  })

  it('finds a body, a content type and a request that are not declared, and what should never be', () => {
    const missing = { code: 'NOT_FOUND', message: 'x', status: 404, requestId: 'r' }

    assert.equal(faultOf(exchange(404, missing)), undefined)
    assert.match(faultOf(exchange(200, { networks: 'none', oracleWallet: null, sandbox: null })) ?? '', /GET \/api\/networks 200: .*must/)
    assert.match(faultOf(exchange(404, { message: 'x' })) ?? '', /must have required property/)
    assert.match(faultOf(exchange(200, 'x', 'text/plain')) ?? '', /no answer of type text\/plain/)
    assert.match(faultOf(exchange(500, missing)) ?? '', /no such status/)
    assert.match(faultOf(exchange(200, {}, undefined, { endpoint: 5 })) ?? '', /\/api\/x402\/pay 200, its request: \/endpoint must be string/)
  })
})
