import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { apis, apiVersion } from '../apis.ts'
import { selfContained } from '../core/json-schema.ts'
import { factsOf } from './fields.ts'
import { broken, type Promised, type Surface, surfaceOf } from './surface.ts'

const folder = new URL('../../../../docs/released/', import.meta.url)
const releases = readdirSync(folder).map(name => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Surface] as const)
const present = surfaceOf(Object.values(apis))
const promised = (more: Partial<Promised>): Promised => ({
  ...{ gives: {}, optional: [], givesOneOf: {}, accepts: {}, acceptsOneOf: {}, needs: [], statuses: [], errors: [] },
  ...more,
})

describe('the interface', () => {
  it('has a release of its version (npm run docs:release), with events and operations', () => {
    const own = releases.find(([name]) => name === `${apiVersion}.json`)?.[1] ?? {}

    assert.ok(own['marketplace.gig.posted.v1']?.gives.budget)
    assert.ok(own['POST /api/gigs']?.needs.includes('budget'))
    assert.ok(own['POST /api/gigs']?.givesOneOf.status?.includes('open'))
    assert.ok(own['POST /api/gigs/:/cancel']?.errors.includes('NOT_POSTER'))
  })

  for (const [name, released] of releases)
    it(`removes nothing of what ${name} promised`, () => {
      assert.deepEqual(broken(released, present), [])
    })

  it('may grow, and nothing else', () => {
    const gives = { id: 'string', 'list[].n': 'integer' }
    const accepts = { q: 'string' }
    const before: Surface = { 'GET /a': promised({ gives, accepts }) }
    const faults = (more: Partial<Promised>) => broken(before, { 'GET /a': promised({ gives, accepts, ...more }), 'a.b.c.v1': promised({ gives }) })

    assert.deepEqual(faults({ gives: { ...gives, more: 'string' }, accepts: { q: 'number|string', more: 'string' } }), [])
    assert.deepEqual(faults({ gives: { id: 'string' } }), ['GET /a: list[].n was integer and is missing'])
    assert.deepEqual(faults({ gives: { ...gives, id: 'null|string' } }), ['GET /a: id was string and is null|string'])
    assert.deepEqual(faults({ accepts: {} }), ['GET /a: q was accepted as string and is as nothing'])
    assert.deepEqual(faults({ needs: ['q'] }), ['GET /a: q is needed, and was not'])
    assert.deepEqual(broken(before, {}), ['GET /a is missing'])
  })

  it('removes no value, code, status or certainty', () => {
    const one = { gives: { id: 'string', state: 'string', note: 'string' }, accepts: { sort: 'string', q: 'string', 'list[]': 'object' } }
    const choices = { optional: ['note'], givesOneOf: { state: ['open', 'shut'] }, acceptsOneOf: { sort: ['new', 'old'] } }
    const before = promised({ ...one, ...choices, statuses: [200, 202], errors: ['NOT_POSTER'] })
    const faults = (more: Partial<Promised>) => broken({ a: before }, { a: { ...before, ...more } })

    const grown = { givesOneOf: { state: ['open', 'shut', 'ajar'] }, acceptsOneOf: { sort: ['new', 'old', 'big'], more: ['a'] } }
    assert.deepEqual(faults({ ...grown, optional: [], errors: ['INVALID_STATE', 'NOT_POSTER'], needs: ['new.field', 'fresh[].field'] }), [])
    assert.deepEqual(faults({ acceptsOneOf: {} }), [])
    assert.deepEqual(faults({ givesOneOf: { state: ['open', 'closed'] } }), ['a: state was shut in some answers, and never is'])
    assert.deepEqual(faults({ acceptsOneOf: { sort: ['new'] } }), ['a: sort was accepted as old'])
    assert.deepEqual(faults({ acceptsOneOf: { ...before.acceptsOneOf, q: ['x', 'y'] } }), ['a: q was anything and is one of x, y'])
    assert.deepEqual(faults({ optional: ['id', 'note'] }), ['a: id was always there, and may be missing'])
    assert.deepEqual(faults({ needs: ['list[].id'] }), ['a: list[].id is needed, and was not'])
    assert.deepEqual(faults({ statuses: [200] }), ['a: it answered 202, and never does'])
    assert.deepEqual(faults({ errors: [] }), ['a: it refused with NOT_POSTER, and never does'])
  })

  it('is read from the declarations: choices, what may be missing, what is needed in what', () => {
    const shape = z.object({
      state: z.enum(['open', 'shut']).nullable(),
      note: z.string().optional(),
      proof: z.discriminatedUnion('type', [
        z.object({ type: z.literal('a'), id: z.string(), more: z.string() }),
        z.object({ type: z.literal('b'), id: z.string() }),
      ]),
      list: z.array(z.object({ kind: z.union([z.literal('x'), z.string()]) })),
      names: z.record(z.string(), z.object({ at: z.string() })),
    })

    assert.deepEqual(factsOf(selfContained(shape, 'input')), {
      types: {
        state: 'null|string',
        note: 'string',
        proof: 'object',
        'proof.type': 'string',
        'proof.id': 'string',
        'proof.more': 'string',
        list: 'array',
        'list[]': 'object',
        'list[].kind': 'string',
        names: 'object',
        'names.*': 'object',
        'names.*.at': 'string',
      },
      values: { state: ['open', 'shut'], 'proof.type': ['a', 'b'] },
      optional: ['note', 'proof.more'],
      required: ['list', 'list[].kind', 'names', 'names.*.at', 'proof', 'proof.id', 'proof.type', 'state'],
    })
  })

  it('has the codes of errors with their statuses', () => {
    assert.deepEqual([present.errors?.gives.NOT_FOUND, present.errors?.gives.TIMEOUT], ['404', '504 retryable'])
  })
})
