import { chainCommand, chainCommandType } from './chain-relayer/command.ts'
import { exchanges } from './core/event.ts'
import { chains } from './core/fields.ts'
import { type Json, schemaBook } from './core/json-schema.ts'
import type { AnyEvent, ServiceApi } from './core/service-api.ts'
import { lastOf } from './core/steps.ts'
import { consumedBy } from './queues.ts'

/**
 * All domain events and the command of the relayer as an AsyncAPI 3.0.0 document, as they travel on RabbitMQ.
 * @example asyncapi(Object.values(apis), '0.1.0')
 */
export const asyncapi = (apis: readonly ServiceApi[], version: string): Json => lastOf(asyncapiSteps(apis, version))

/** The work of `asyncapi`, some 0.15 s of a processor, in steps of one event: see `openapiSteps`. */
export function* asyncapiSteps(apis: readonly ServiceApi[], version: string): Generator<undefined, Json> {
  const book = schemaBook('#/components/schemas/')
  const events = apis.flatMap(api => Object.values(api.events)).toSorted((a, b) => (a.type < b.type ? -1 : 1))
  const served = apis.filter(api => !api.planned)
  const command = { name: 'chain.command', type: chainCommandType, producer: '', summary: 'What a service requests of the relayer' }
  const payloads = new Map<string, Json>()
  for (const { type, payload } of [...events, { type: command.type, payload: chainCommand }]) {
    payloads.set(type, book.schema(payload, 'input'))
    yield
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Carapace events',
      version,
      description: 'CloudEvents 1.0 in structured mode; the type is the routing key. Money is micro-USDC as decimal text.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/cloudevents+json',
    servers: { broker: { host: 'localhost:5672', protocol: 'amqp', description: 'RabbitMQ, from AMQP_URL' } },
    channels: Object.fromEntries([
      ...events.map(event => [event.type, channel(event.type, event.type, 'events')] as const),
      [command.type, channel(command.type, 'chain.command.{chain}', 'commands')] as const,
    ]),
    operations: Object.fromEntries([
      ...events.map(event => [`publish.${event.type}`, operation(event, 'send')] as const),
      ...served.flatMap(api =>
        consumedBy(api).map(event => [`receive.${api.name}.${event.type}`, operation({ ...event, producer: api.name }, 'receive')] as const),
      ),
      [`receive.${command.type}`, operation(command, 'receive')] as const,
    ]),
    components: {
      messages: Object.fromEntries([...events, command].map(event => [event.type, message(event, payloads.get(event.type)!)])),
      schemas: { ...book.named(), CloudEvent: envelope },
    },
  }
}

function channel(type: string, address: string, exchange: keyof typeof exchanges): Json {
  return {
    address,
    messages: { [type]: { $ref: `#/components/messages/${type}` } },
    ...(address.includes('{chain}') ? { parameters: { chain: { enum: chains } } } : {}),
    bindings: {
      amqp: { is: 'routingKey', exchange: { name: exchanges[exchange], type: 'topic', durable: true, autoDelete: false }, bindingVersion: '0.3.0' },
    },
  }
}

function operation(event: Pick<AnyEvent, 'type' | 'summary' | 'producer'>, action: 'send' | 'receive'): Json {
  return {
    action,
    summary: event.summary,
    channel: { $ref: `#/channels/${event.type}` },
    messages: [{ $ref: `#/channels/${event.type}/messages/${event.type}` }],
    ...(event.producer ? { tags: [{ name: event.producer }] } : {}),
  }
}

function message(event: Pick<AnyEvent, 'type' | 'name' | 'summary'>, data: Json): Json {
  return {
    name: event.name,
    title: event.name,
    summary: event.summary,
    contentType: 'application/cloudevents+json',
    payload: {
      allOf: [{ $ref: '#/components/schemas/CloudEvent' }, { type: 'object', properties: { type: { const: event.type }, data } }],
    },
  }
}

const envelope = {
  type: 'object',
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', description: 'Stable over redelivery' },
    source: { type: 'string' },
    type: { type: 'string' },
    subject: { type: 'string' },
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { const: 'application/json' },
    aggregateversion: { type: 'integer', minimum: 0 },
    traceparent: { type: 'string' },
    data: { type: 'object' },
  },
  required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'aggregateversion', 'data'],
}
