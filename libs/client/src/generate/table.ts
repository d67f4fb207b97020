import { type AnyEndpoint, type ServiceApi, serviceSummaries } from '@carapace/api'
import { z } from 'zod'

export interface Operation {
  service: string
  name: string
  endpoint: AnyEndpoint
}

/** The operations that a client of the platform may call, with their services, in the order of the declarations. */
export function operationsOf(apis: readonly ServiceApi[]): Operation[] {
  const open = apis.filter(api => !api.planned)
  return open.flatMap(api =>
    Object.entries(api.endpoints)
      .filter(([, endpoint]) => !endpoint.planned)
      .map(([name, endpoint]) => ({ service: api.name, name, endpoint })),
  )
}

/** The table of the published client as TypeScript: method and path of each operation, by service, and how its answer is read. */
export function sdkTable(apis: readonly ServiceApi[]): string {
  const operations = operationsOf(apis)
  const services = [...new Set(operations.map(({ service }) => service))].map(service => {
    const lines = operations.filter(operation => operation.service === service).map(({ name, endpoint }) => `    ${name}: ${rowOf(endpoint)},\n`)
    const key = /^\w+$/.test(service) ? service : `'${service}'`
    return `  /** ${serviceSummaries[service as keyof typeof serviceSummaries]}. */\n  ${key}: {\n${lines.join('')}  },\n`
  })
  return `/** Method and path of each operation, by service; \`reads\` where the answer is not JSON, \`items\` where it is one page of a list. */\nexport const operations = {\n${services.join('')}} as const\n`
}

function rowOf(endpoint: AnyEndpoint): string {
  const items = listName(endpoint)
  const parts = [
    `method: '${endpoint.method.toUpperCase()}'`,
    `path: '${endpoint.path}'`,
    ...readings.filter(([type]) => type === endpoint.produces).map(([, reading]) => `reads: '${reading}'`),
    ...(items === undefined ? [] : [`items: '${items}'`, ...('page' in endpoint.query.shape ? ["by: 'page'"] : [])]),
  ]
  return `{ ${parts.join(', ')} }`
}

const readings = [
  ['image/png', 'bytes'],
  ['text/event-stream', 'stream'],
  ['text/html', 'text'],
] as const

/** The field of the answer that holds the entries; empty where the answer is a bare array; undefined where the endpoint is no list of pages. */
function listName({ query, response }: AnyEndpoint): string | undefined {
  const isPaged = 'limit' in query.shape && ('offset' in query.shape || 'page' in query.shape)
  if (!isPaged || !response) return undefined
  const { type, properties = {} } = z.toJSONSchema(response, { io: 'output', unrepresentable: 'any' }) as {
    type?: string
    properties?: Record<string, { type?: string }>
  }
  if (type === 'array') return ''
  return Object.keys(properties).find(name => properties[name]!.type === 'array')
}
