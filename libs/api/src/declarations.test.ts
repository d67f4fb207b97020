import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { apis } from './apis.ts'
import { type CallerClass, callers } from './core/callers.ts'
import { paramNames } from './core/endpoint.ts'
import { parseUsd } from './core/money.ts'
import { routes } from './core/routes.ts'
import type { AnyEndpoint, ServiceApi } from './core/service-api.ts'

interface SpecLine {
  method: string
  path: string
  auth: 'none' | 'agent' | 'wallet' | 'wallet-only' | 'admin'
}
const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T
const spec = read<SpecLine[]>('../src/spec-endpoints.json')

const all: readonly ServiceApi[] = Object.values(apis)
const table = routes(all)
const endpoints: [name: string, endpoint: AnyEndpoint, service: string][] = all.flatMap(api =>
  Object.entries(api.endpoints).map(([name, endpoint]) => [name, endpoint, api.name] as [string, AnyEndpoint, string]),
)
const shape = (method: string, path: string) => `${method.toUpperCase()} ${path.replace(/:[A-Za-z]+/g, ':')}`
const declared = new Map(table.all.map(route => [shape(route.method, route.path), route]))

describe('the map of endpoints', () => {
  it('declares each of the 175 endpoints of the spec', () => {
    const missing = spec.filter(line => !declared.has(shape(line.method, line.path))).map(line => `${line.method} ${line.path}`)

    assert.equal(spec.length, 175)
    assert.deepEqual(missing, [])
  })

  it('declares 88 paths of its own next to them', () => {
    const ofSpec = new Set(spec.map(line => shape(line.method, line.path)))
    const own = table.all.map(route => shape(route.method, route.path)).filter(key => !ofSpec.has(key))

    assert.equal(own.length, 88, own.join('\n'))
    assert.equal(table.all.length, 263)
  })

  it('requires the identity that the spec requires', () => {
    const accepted: Record<SpecLine['auth'], readonly CallerClass[]> = {
      none: Object.keys(callers) as CallerClass[],
      agent: ['agent'],
      wallet: ['wallet', 'walletOrOracle'],
      'wallet-only': ['walletOnly'],
      admin: ['oracle', 'admin'],
    }
    for (const line of spec) {
      const { endpoint } = declared.get(shape(line.method, line.path))!

      assert.ok(accepted[line.auth].includes(endpoint.caller), `${line.method} ${line.path} needs ${line.auth}, not ${endpoint.caller}`)
    }
  })

  it('has no caller class "internal" at the public door, and no other class inside', () => {
    for (const [name, endpoint] of endpoints) assert.notEqual(endpoint.caller, 'internal', name)
    for (const api of all)
      for (const [name, endpoint] of Object.entries(api.internal)) {
        assert.equal(endpoint.caller, 'internal', name)
        assert.match(endpoint.path, /^\/internal\/v1\//)
      }
  })

  it('gives each endpoint a name of its own; one that several services offer is the same declaration', () => {
    const named = [...endpoints, ...all.flatMap(api => Object.entries(api.internal))]

    assert.deepEqual(
      named.filter(([name, endpoint], i) => named.findIndex(([other, second]) => other === name && second !== endpoint) > i).map(([name]) => name),
      [],
    )
  })

  it('names only parameters of the path as the own id, only fields of the body as the actor', () => {
    for (const [name, endpoint] of endpoints) {
      for (const path of [endpoint.path, ...endpoint.aliases]) assert.deepEqual(paramNames(path), Object.keys(endpoint.params.shape), name)
      if (endpoint.self) assert.ok(paramNames(endpoint.path).includes(endpoint.self), name)
      if (endpoint.actor) assert.ok(endpoint.actor in (endpoint.body?.shape ?? {}), name)
      if (endpoint.method === 'get') assert.equal(endpoint.body, undefined, name)
    }
  })

  it('has no undescribed answer beyond the list of bare.json, which only shrinks', () => {
    const bare = endpoints.filter(([, endpoint]) => !endpoint.response && !endpoint.produces).map(([name, , service]) => `${service}.${name}`)
    const listed = read<string[]>('../bare.json')

    assert.deepEqual(bare.toSorted(), listed.toSorted(), 'take what is described now off the list; describe what is new')
  })

  it('sells only reads, by prices above zero that a query value of the endpoint distinguishes', () => {
    const sold = endpoints.filter(([, { prices }]) => prices.length > 0)
    assert.deepEqual(sold.map(([name]) => name).toSorted(), ['checkEligibility', 'getReceipt', 'getReputation'])
    for (const [name, { method, prices, query }] of sold) {
      assert.equal(method, 'get', name)
      for (const { amount, query: values = {} } of prices) {
        assert.ok((parseUsd(Number(amount)) ?? 0n) > 0n, name)
        for (const [key, value] of Object.entries(values)) assert.ok(query.shape[key]?.safeParse(value).success, `${name} ${key}=${value}`)
      }
    }
  })

  it('opens to pages of other sites nothing that acts for an agent', () => {
    for (const [name, endpoint] of endpoints.filter(([, { crossOrigin }]) => crossOrigin)) assert.equal(endpoint.caller, 'public', name)
    assert.deepEqual(
      endpoints.filter(([, { method, crossOrigin }]) => crossOrigin && method !== 'get').map(([name]) => name),
      ['settleX402', 'verifyX402', 'payX402'],
    )
  })

  it('lets nothing be cached that has a price or depends on the caller, and every other public read', () => {
    const reads = endpoints.filter(([, { method }]) => method === 'get')
    for (const [name, { cacheable, method, caller, signed, prices, private: isPrivate, produces }] of endpoints)
      if (cacheable)
        assert.deepEqual(
          [method, caller, signed, prices.length, isPrivate, produces === 'text/event-stream'],
          ['get', 'public', 'public', 0, false, false],
          name,
        )

    assert.deepEqual(
      reads.filter(([, { cacheable, caller }]) => !cacheable && caller === 'public').map(([name]) => name),
      ['checkEligibility', 'getReputation', 'getReceipt'],
    )
  })

  it('answers an empty body with errors of fields, never with an exception', () => {
    for (const [name, { body }] of endpoints) {
      const parsed = body?.safeParse({})
      if (parsed && !parsed.success)
        assert.ok(
          parsed.error.issues.every((issue: { message: string }) => issue.message.length > 0),
          name,
        )
    }
  })
})
