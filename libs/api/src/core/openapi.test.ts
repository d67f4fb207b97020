import assert from 'node:assert/strict'
import { apis } from '../apis.ts'
import { consumedBy } from '../queues.ts'
import { asyncapi } from './asyncapi.ts'
import { errors } from './errors.ts'
import type { Json } from './json-schema.ts'
import { openapi } from './openapi.ts'
import { routes } from './routes.ts'
import type { ServiceApi } from './service-api.ts'

const all = Object.values(apis)
const document = openapi(all, '0.1.0')
const events = asyncapi(all, '0.1.0')
const operations = Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Every `$ref` of a document. */
function references(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(references)
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) => (key === '$ref' ? [value as string] : references(value)))
}

/** What a reference such as `#/components/schemas/Gig` points at. */
function resolve(root: Json, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((part, key) => (part as Json | undefined)?.[key.replaceAll('~1', '/')], root)
}

describe('the OpenAPI document', () => {
  it('has an operation for each route', () => {
    assert.equal(document.openapi, '3.1.1')
    assert.equal(operations.length, routes(all).all.length)
  })

  it('gives each operation an id of its own', () => {
    const ids = operations.map(({ operation }) => operation.operationId)

    assert.equal(new Set(ids).size, ids.length)
  })

  it('marks what is declared and not served yet', () => {
    const marked = operations.filter(({ operation }) => operation['x-status'] === 'planned').map(({ operation }) => operation.operationId)
    const waiting = routes(all).all.filter(({ service, endpoint }) => endpoint.planned || (apis[service] as ServiceApi).planned)

    assert.equal(marked.length, waiting.length)
    assert.ok(marked.includes('createJob') && marked.includes('settleX402') && !marked.includes('createGig'))
  })

  it('declares exactly the parameters of the path', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(match => match[1])
      const declared = (operation.parameters as Json[]).filter(parameter => parameter.in === 'path')

      assert.deepEqual(
        declared.map(({ name }) => name),
        inPath,
        path,
      )
      assert.ok(declared.every(({ required }) => required === true))
    }
  })

  it('names the fields, bounds and defaults of a request', () => {
    const draft = resolve(document, '#/components/schemas/GigDraft') as { properties: Record<string, Json>; required: string[] }

    assert.deepEqual(draft.required, ['title', 'description', 'budget'])
    assert.deepEqual(draft.properties.title, { type: 'string', minLength: 1, maxLength: 200 })
    assert.equal(draft.properties.budget!.maximum, 50_000)
    assert.equal(draft.properties.deadlineHours!.default, 72)
  })

  it('has an answer for success and for errors in each operation, with statuses of the error table', () => {
    const known = new Set<string>(Object.values(errors).map(({ status }) => String(status)))
    for (const { path, method, operation } of operations) {
      const statuses = Object.keys(operation.responses as Json)

      assert.ok(
        statuses.some(status => status.startsWith('2')),
        `${method} ${path}`,
      )
      assert.ok(statuses.every(status => status.startsWith('2') || status === 'default' || known.has(status)))
    }
  })

  it('resolves every reference, is plain JSON and comes out the same each time', () => {
    for (const reference of references(document)) assert.notEqual(resolve(document, reference), undefined, reference)
    assert.deepEqual(JSON.parse(JSON.stringify(document)), document)
    assert.equal(JSON.stringify(openapi(all, '0.1.0')), JSON.stringify(document))
  })

  it('shows nothing of the doors between services', () => {
    assert.ok(!JSON.stringify(document).includes('/internal/'))
  })
})

describe('the AsyncAPI document', () => {
  it('has a channel, a message and an operation for each event, and for the command, and one for each reader of an event', () => {
    const count = all.flatMap(api => Object.values(api.events)).length + 1
    const readings = all.filter(api => !api.planned).flatMap(api => consumedBy(api)).length

    assert.equal(events.asyncapi, '3.0.0')
    assert.equal(Object.keys(events.channels as Json).length, count)
    assert.equal(Object.keys(events.operations as Json).length, count + readings)
    assert.equal(Object.keys((events.components as { messages: Json }).messages).length, count)
  })

  it('binds each channel to a durable topic exchange', () => {
    for (const [type, channel] of Object.entries(events.channels as Record<string, { address: string; bindings: { amqp: Json } }>)) {
      const { amqp } = channel.bindings

      assert.equal(amqp.is, 'routingKey')
      assert.equal((amqp.exchange as Json).durable, true)
      assert.equal((amqp.exchange as Json).name, type === 'chain.command.v1' ? 'carapace.commands' : 'carapace.events')
    }
  })

  it('resolves every reference and is plain JSON', () => {
    for (const reference of references(events)) assert.notEqual(resolve(events, reference), undefined, reference)
    assert.deepEqual(JSON.parse(JSON.stringify(events)), events)
  })
})
