import assert from 'node:assert/strict'
import fc from 'fast-check'
import { apis } from '../apis.ts'
import { endpoint } from './endpoint.ts'
import { type Route, routes } from './routes.ts'
import { type AnyEndpoint, serviceApi } from './service-api.ts'

const table = routes(Object.values(apis))
const words = [...new Set(table.all.flatMap(route => route.path.split('/').slice(1)))].filter(word => !word.startsWith(':'))
const segment = fc.oneof(fc.constantFrom(...words), fc.uuid(), fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/), fc.constant('x.png'))
const anyPath = fc.array(segment, { minLength: 1, maxLength: 7 }).map(parts => `/${parts.join('/')}`)
const anyMethod = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT')

/** The slow way: every route as a pattern, in order of specificity. */
function search(method: string, path: string): Route | undefined {
  return table.all.find(route => route.method === method.toLowerCase() && pattern(route.path).test(path))
}
const pattern = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[A-Za-z]+/g, '[^/]+')}$`)

const sample = (declared: Record<string, AnyEndpoint>) => routes([serviceApi('identity', { endpoints: declared })])
const get = (path: string) => endpoint({ method: 'get', path, caller: 'public', summary: 'test' })

describe('the route table', () => {
  it('finds what a search through all patterns finds', () => {
    fc.assert(
      fc.property(anyMethod, anyPath, (method, path) => {
        const found = table.match(method, path)
        const expected = search(method, path)

        assert.equal('name' in found ? found.name : undefined, expected?.name)
      }),
      { numRuns: 3000 },
    )
  })

  it('finds each declared path by itself and gives its parameters', () => {
    for (const route of table.all) {
      const values: Record<string, string> = {}
      const path = route.path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
        values[name] = `value-${name}`
        return values[name]
      })
      const found = table.match(route.method.toUpperCase(), path)

      assert.ok('name' in found, path)
      assert.equal(found.name, route.name)
      assert.deepEqual(found.params, values)
    }
  })

  it('prefers the static sibling before the parameter', () => {
    const nameOf = (path: string) => {
      const found = table.match('GET', path)
      return 'name' in found ? found.name : undefined
    }

    assert.equal(nameOf('/api/agents/discover'), 'discoverAgents')
    assert.equal(nameOf('/api/agents/somebody'), 'getAgent')
    assert.equal(nameOf('/api/domains/browse'), 'browseDomains')
    assert.equal(nameOf('/api/domains/x.claw'), 'resolveDomain')
    assert.equal(nameOf('/api/bond/network/stats'), 'getBondStatistics')
    assert.equal(nameOf('/trust-receipt/1.png'), 'getReceiptPicture')
    assert.equal(nameOf('/trust-receipt/1'), 'getReceiptPage')
    assert.equal(nameOf('/api/agents/somebody/'), 'getAgent')
  })

  it('separates an unknown path from an unknown method', () => {
    assert.deepEqual(table.match('GET', '/api/no-such-thing'), { none: true })
    assert.deepEqual(table.match('DELETE', '/api/agents'), { methodNotAllowed: ['GET', 'HEAD'] })
    assert.deepEqual(table.match('GET', '/no-such-page'), { none: true })
    assert.ok('name' in table.match('HEAD', '/api/agents'))
  })

  it('decodes parameters and leaves alone what cannot be decoded', () => {
    const found = sample({ one: get('/a/:id') })

    assert.deepEqual(paramsOf(found.match('GET', '/a/x%20y')), { id: 'x y' })
    assert.deepEqual(paramsOf(found.match('GET', '/a/%E0%A4%A')), { id: '%E0%A4%A' })
    assert.deepEqual(found.match('GET', '/a/'), { none: true })
  })

  it('refuses two endpoints that cannot be distinguished', () => {
    assert.throws(() => sample({ one: get('/a/:id/b'), two: get('/a/:name/b') }), /same route/)
  })
})

const paramsOf = (found: ReturnType<typeof table.match>) => ('params' in found ? found.params : undefined)
