import assert from 'node:assert/strict'
import { apis, routes } from '@carapace/api'
import type { Exchange, System } from '@carapace/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

type Content = Record<string, object>
interface Declared {
  $ref?: string
  content?: Content
}
interface Operation {
  requestBody?: Declared
  responses: Record<string, Declared>
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

const table = routes(Object.values(apis))
const shapeOf = (path: string): string => path.replace(/:\w+|\{\w+\}/g, '{}')
const documentId = 'openapi.json'

/** All that the system has answered is as its own OpenAPI document declares it. */
export async function assertDeclared(system: System, exchanges: readonly Exchange[]): Promise<void> {
  const faultOf = answerCheck(await system.get('/openapi.json'))
  const faults = new Set(exchanges.map(faultOf).filter(fault => fault !== undefined))
  assert.deepEqual([...faults], [])
}

/**
 * What a validating proxy checks: whether an answer has a status, a content type and a body that the document declares for its operation, and whether
 * the document allows the body of a request that was carried out.
 * @returns of an exchange what is not as declared, if anything
 */
export function answerCheck(document: OpenApi): (exchange: Exchange) => string | undefined {
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  ajvFormats.default(ajv)
  ajv.addSchema(document, documentId)
  const templates = new Map(Object.keys(document.paths).map(path => [shapeOf(path), path]))
  const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
  const fault = (place: readonly string[], value: unknown): string | undefined => {
    const isValid = ajv.getSchema(`${documentId}#/${place.map(escaped).join('/')}`)!
    return isValid(value) ? undefined : ajv.errorsText(isValid.errors, { dataVar: '' })
  }

  return ({ method, path, options, answer }) => {
    const route = table.match(method, path.split(/[?#]/, 1)[0]!)
    if (!('endpoint' in route)) return undefined
    const template = templates.get(shapeOf(route.path))!
    const operation = document.paths[template]?.[route.method]
    const name = `${method} ${route.path} ${answer.status}`
    if (!operation) return `${name}: no operation`
    const { requestBody, responses } = operation
    const status = responses[answer.status] ? String(answer.status) : 'default'
    const declared = responses[status]
    if (!declared || answer.status === 500) return `${name}: no such status`
    const place = declared.$ref ? declared.$ref.split('/').slice(1) : ['paths', template, route.method, 'responses', status]
    const { content = {} } = place.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document) as Declared
    const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? ''
    if (!Object.hasOwn(content, type)) return `${name}: no answer of type ${type}`
    const inAnswer = type.includes('json') ? fault([...place, 'content', type, 'schema'], answer.body) : undefined
    if (inAnswer) return `${name}: ${inAnswer}`
    if (answer.status >= 300 || options.body === undefined || !requestBody) return undefined
    const inRequest = fault(['paths', template, route.method, 'requestBody', 'content', 'application/json', 'schema'], options.body)
    return inRequest && `${name}, its request: ${inRequest}`
  }
}
