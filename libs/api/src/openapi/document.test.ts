import assert from 'node:assert/strict'
import { apis } from '../apis.ts'
import { asyncapi } from '../asyncapi.ts'
import { errors } from '../core/errors.ts'
import type { Json } from '../core/json-schema.ts'
import { routes } from '../core/routes.ts'
import type { ServiceApi } from '../core/service-api.ts'
import { consumedBy } from '../queues.ts'
import { openapi } from './document.ts'

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

  it('says of each sold read what it costs, for programs and, by the reference page, for people', () => {
    const declared = new Map(routes(all).all.map(({ path, endpoint }) => [`${endpoint.method} ${path}`, endpoint.prices]))
    const sold = operations.filter(({ operation }) => operation['x-price'] !== undefined)

    assert.deepEqual(
      sold.map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}')),
      [...declared].filter(([, prices]) => prices.length > 0).map(([route]) => route.slice('get '.length).replaceAll(/:\w+/g, '{}')),
    )
    for (const { operation } of sold)
      for (const { amount, currency } of operation['x-price'] as { amount: string; currency: string }[]) {
        assert.deepEqual([Number(amount) > 0, currency], [true, 'USDC'])
        assert.ok(String(operation.description).includes(`${amount} USDC`), String(operation.description))
      }
  })

  it('marks what is declared and not served yet', () => {
    const marked = operations.filter(({ operation }) => operation['x-status'] === 'planned').map(({ operation }) => operation.operationId)
    const waiting = routes(all).all.filter(({ service, endpoint }) => endpoint.planned || (apis[service] as ServiceApi).planned)

    assert.equal(marked.length, waiting.length)
    assert.ok(!marked.includes('settleX402') && !marked.includes('createJob') && !marked.includes('createGig'))
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
    const createGig = operations.find(({ operation }) => operation.operationId === 'createGig')!
    const draft = resolve(createGig.operation, '#/requestBody/content/application~1json/schema') as {
      properties: Record<string, Json>
      required: string[]
    }

    assert.deepEqual(draft.required, ['title', 'description', 'budget'])
    assert.deepEqual(draft.properties.title, { type: 'string', minLength: 1, maxLength: 200 })
    assert.equal(draft.properties.budget!.maximum, 50_000)
    assert.equal(draft.properties.deadlineHours!.default, 72)
  })

  it('has an answer for success and for errors in each operation, with statuses of the error table', () => {
    const declared = new Set<string>(Object.values(errors).map(({ status }) => String(status)))
    for (const { path, method, operation } of operations) {
      const statuses = Object.keys(operation.responses as Json)

      assert.ok(
        statuses.some(status => status.startsWith('2')),
        `${method} ${path}`,
      )
      assert.ok(statuses.every(status => /^2|^30[34]$/.test(status) || status === 'default' || declared.has(status)))
      assert.ok(
        statuses.some(status => status.startsWith('4')),
        `${method} ${path}`,
      )
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

describe('the OpenAPI document, for generated clients,', () => {
  it('says of each operation what shows the identity of its caller, by schemes that are declared', () => {
    const declared = Object.keys((document.components as { securitySchemes: Json }).securitySchemes)
    const securityOf = (name: string) => operations.find(({ operation }) => operation.operationId === name)!.operation.security
    const named = operations.flatMap(({ operation }) => (operation.security as Json[]).flatMap(Object.keys))

    assert.deepEqual([...new Set(named)].toSorted(), declared.toSorted())
    assert.deepEqual(securityOf('createGig'), [
      { agentId: [], walletAddress: [] },
      { erc8128: [], erc8128Input: [] },
    ])
    assert.deepEqual(securityOf('listGigs'), [{}])
    assert.deepEqual(securityOf('checkEligibility'), [{}, { x402: [] }, { x402v2: [] }])
    assert.deepEqual((securityOf('suspendAgent') as Json[])[0], { adminWallet: [] })
    for (const { operation } of operations)
      assert.ok((operation.parameters as Json[]).every(({ in: where, name }) => where !== 'header' || !declared.includes(String(name))))
  })

  it('lists every content type that an operation answers with', () => {
    const typesOf = (name: string, status: string) => {
      const { operation } = operations.find(found => found.operation.operationId === name)!
      const response = (operation.responses as Record<string, Json>)[status]!
      const { content } = (response.$ref ? resolve(document, String(response.$ref)) : response) as { content: Json }
      return Object.keys(content)
    }

    assert.deepEqual(typesOf('getCredential', '200'), ['application/json', 'application/vc+jwt'])
    assert.deepEqual(typesOf('getCard', '200'), ['image/png'])
    assert.deepEqual(typesOf('getReceiptPage', '200'), ['text/html'])
    for (const page of ['getReceiptPage', 'getCommerceReceiptPage', 'getTransactionPage', 'getAgentPage'])
      assert.deepEqual(typesOf(page, '404'), ['text/html', 'application/json', 'application/problem+json'], page)
    assert.deepEqual(typesOf('getAgent', '404'), ['application/json', 'application/problem+json'])
  })

  it('has examples of request bodies that the declarations accept, defaults left out or not', () => {
    const bodies = operations.filter(({ operation }) => operation.requestBody)
    const faults = bodies.flatMap(({ path, method, operation }) => {
      const { example, schema } = (operation.requestBody as { content: Record<string, { example: Json; schema: { required?: string[] } }> }).content[
        'application/json'
      ]!
      const { body } = routes(all).all.find(route => templateOf(route.path) === templateOf(path) && route.method === method)!.endpoint
      const least = Object.fromEntries((schema.required ?? []).map(name => [name, example[name]]))
      return [example, least].flatMap(given => {
        const { success, error } = body.safeParse(given)
        // which of two optional fields is needed, no schema says
        const isOwnRule = !success && given === least && error.issues.every(({ code }: { code: string }) => code === 'custom')
        return success || isOwnRule ? [] : [`${operation.operationId}: ${JSON.stringify(given)} ${error.message}`]
      })
    })

    assert.ok(bodies.length > 60)
    assert.deepEqual(faults, [])
  })

  it('has no two paths that differ by the names of their parameters', () => {
    const shapes = Object.keys(document.paths as Json).map(templateOf)

    assert.equal(new Set(shapes).size, shapes.length)
    assert.deepEqual(Object.keys((document.paths as Record<string, Json>)['/api/agent-skills/{id}']!).toSorted(), ['delete', 'get'])
  })

  it('is clean under redocly lint, but for fixed paths that a text could meet in two ways', async () => {
    const { createConfig, lintDocument, makeDocumentFromString, BaseResolver } = await import('@redocly/openapi-core')
    const examples = ['no-invalid-schema-examples', 'no-invalid-media-type-examples', 'no-invalid-parameter-examples']
    const config = await createConfig({ extends: ['recommended'], rules: Object.fromEntries(examples.map(rule => [rule, 'error'])) })
    const source = makeDocumentFromString(JSON.stringify(document), '/openapi.json')

    const problems = await lintDocument({ document: source, config, externalRefResolver: new BaseResolver() })

    const isOfPaths = ({ ruleId }: { ruleId: string }) => ruleId === 'no-ambiguous-paths'
    assert.deepEqual(
      problems.filter(problem => !isOfPaths(problem)).map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      [],
    )
    // a static segment goes before a parameter, so that each text meets one of the two: an agent, a name or a validation cannot have such an id
    assert.deepEqual(
      problems.filter(isOfPaths).map(({ message }) => message.match(/\/api[^`]+/g)),
      [
        ['/api/agents/{agentId}/heartbeat', '/api/agents/by-molt/{name}'],
        ['/api/agents/{agentId}/heartbeat', '/api/agents/handle/{handle}'],
        ['/api/domains/{id}/transfer', '/api/domains/operations/{id}'],
        ['/api/domains/{id}/transfer', '/api/domains/wallet/{address}'],
        ['/api/swarm/validations/{id}/draw', '/api/swarm/validations/agent/{agentId}'],
      ],
    )
  }).timeout(60_000)
})

const templateOf = (path: string): string => path.replace(/:[A-Za-z]+|\{[A-Za-z]+\}/g, '{id}')

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
