import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { apis, apiVersion } from '../apis.ts'
import { broken, type Surface, surfaceOf } from './surface.ts'

const folder = new URL('../../../../docs/released/', import.meta.url)
const releases = readdirSync(folder).map(name => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Surface] as const)
const present = surfaceOf(Object.values(apis))

describe('the interface', () => {
  it('has a release of its version (npm run docs:release), with events and operations', () => {
    const own = releases.find(([name]) => name === `${apiVersion}.json`)?.[1] ?? {}

    assert.ok(own['marketplace.gig.posted.v1']?.gives.budget)
    assert.ok(own['POST /api/gigs']?.needs.includes('budget'))
  })

  for (const [name, released] of releases)
    it(`removes nothing of what ${name} promised`, () => {
      assert.deepEqual(broken(released, present), [])
    })

  it('may grow, and nothing else', () => {
    const gives = { id: 'string', 'list[].n': 'integer' }
    const accepts = { q: 'string' }
    const before: Surface = { 'GET /a': { gives, accepts, needs: [] } }
    const faults = (more: Partial<Surface[string]>) =>
      broken(before, { 'GET /a': { gives, accepts, needs: [], ...more }, 'a.b.c.v1': { gives, accepts: {}, needs: [] } })

    assert.deepEqual(faults({ gives: { ...gives, more: 'string' }, accepts: { q: 'number|string', more: 'string' } }), [])
    assert.deepEqual(faults({ gives: { id: 'string' } }), ['GET /a: list[].n was integer and is missing'])
    assert.deepEqual(faults({ gives: { ...gives, id: 'null|string' } }), ['GET /a: id was string and is null|string'])
    assert.deepEqual(faults({ accepts: {} }), ['GET /a: q was accepted as string and is as nothing'])
    assert.deepEqual(faults({ needs: ['q'] }), ['GET /a: q is needed, and was not'])
    assert.deepEqual(broken(before, {}), ['GET /a is missing'])
  })
})
