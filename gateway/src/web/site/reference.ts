import { type ServiceName, serviceSummaries } from '@carapace/api'
import { sentence } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { row } from '../parts/basics.ts'
import type { SiteParts } from '../site-parts.ts'
import { docsNav } from './docs-nav.ts'

/** What the pages read of the OpenAPI document. */
interface Schema {
  type?: string
  enum?: readonly unknown[]
  const?: unknown
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  $ref?: string
}
interface Operation {
  summary?: string
  description?: string
  tags?: readonly string[]
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { content: Readonly<Record<string, { schema: Schema }>> }
  responses?: Readonly<Record<string, { description?: string; content?: Readonly<Record<string, { schema: Schema }>> }>>
  'x-price'?: readonly { amount: string; query?: Readonly<Record<string, string>> }[]
}
export interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components?: { schemas?: Readonly<Record<string, Schema>> }
}

/** Every endpoint of one service, read from the same document that clients read. */
export function referencePage({ pages }: SiteParts, document: OpenApi, service: ServiceName) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => (operation.tags?.includes(service) ? [{ path, method, operation }] : [])),
  )
  return pages.show(
    {
      title: `${sentence(service)}: reference`,
      area: 'docs',
      path: `/docs/${service}`,
      description: serviceSummaries[service],
      main: html`<div class="docs">${docsNav(`/docs/${service}`)}<div>${pageHead(sentence(service), serviceSummaries[service], 'Reference')}
${operations.length > 1 && html`<ul class="endpoints">${operations.map(({ path, method }) => html`<li><a href="#${anchorOf(path, method)}"><span class="method">${method}</span><code>${path}</code></a></li>`)}</ul>`}
${operations.map(one => operationView(one, document))}</div></div>`,
    },
    { caching: 'shared' },
  )
}

const anchorOf = (path: string, method: string): string => `${method}-${path.replace(/\W+/g, '-')}`

interface Described {
  path: string
  method: string
  operation: Operation
}

/** Codes of refusals that are not common to all operations, with their status. */
const refusalsOf = ({ responses = {} }: Operation): readonly (readonly [status: string, codes: string])[] =>
  Object.entries(responses).flatMap(([status, { description = '' }]) =>
    /^4/.test(status) && /^[A-Z_]+(, [A-Z_]+)*$/.test(description) ? [[status, description] as const] : [],
  )

const pricesOf = ({ 'x-price': prices = [] }: Operation): string =>
  prices
    .map(({ amount, query = {} }) => [`${amount} USDC`, ...Object.entries(query).map(([name, value]) => `with ${name}=${value}`)].join(' '))
    .join(', ')

function operationView({ path, method, operation }: Described, document: OpenApi): Html {
  const refusals = refusalsOf(operation)
  const prices = pricesOf(operation)
  const inputs = operation.parameters?.filter(parameter => parameter.in !== 'header') ?? []
  const body = operation.requestBody?.content['application/json']?.schema
  const answer = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2'))
  const answerSchema = answer?.[1].content?.['application/json']?.schema
  return html`<article class="endpoint card" id="${anchorOf(path, method)}"><h2 class="endpoint-head"><span class="method">${method}</span><code>${path}</code></h2>
<p>${operation.summary}</p><p class="muted small-text">${operation.description}${prices !== '' && html` Sold by x402: ${prices}.`}</p>
${inputs.length > 0 && html`<h3>Parameters</h3><dl class="facts small-text">${inputs.map(({ name, schema, required, description }) => row(`${name}${required ? '' : '?'}`, sayingOf({ ...schema, ...(description ? { description } : {}) }, document)))}</dl>`}
${body && html`<h3>Body</h3>${fields(body, document)}`}
${refusals.length > 0 && html`<details><summary>Refusals</summary><dl class="facts small-text">${refusals.map(([status, codes]) => row(status, html`<code>${codes}</code>`))}</dl></details>`}
${answerSchema && html`<details><summary>Answer ${answer?.[0]}</summary>${fields(answerSchema, document)}</details>`}
</article>`
}

function fields(schema: Schema, document: OpenApi): Html {
  const { properties, required = [] } = resolved(schema, document)
  if (!properties) return html`<p class="small-text">${sayingOf(schema, document)}</p>`
  return html`<dl class="facts small-text">${Object.entries(properties).map(([name, field]) => row(`${name}${required.includes(name) ? '' : '?'}`, sayingOf(field, document)))}</dl>`
}

const resolved = (schema: Schema, { components }: OpenApi): Schema =>
  schema.$ref === undefined ? schema : (components?.schemas?.[schema.$ref.split('/').at(-1)!] ?? schema)

/** Type, values and limits of a field in one line. */
function sayingOf(schema: Schema, document: OpenApi): string {
  const name = schema.$ref?.split('/').at(-1)
  const { type, enum: values, const: only, description, default: preset, minimum, maximum, maxLength, maxItems, items } = resolved(schema, document)
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : minimum !== undefined ? `from ${minimum}` : undefined
  return [
    values
      ? values.join(' | ')
      : only !== undefined
        ? String(only)
        : (name ?? (type === 'array' ? `list of ${items?.$ref?.split('/').at(-1) ?? items?.type ?? 'values'}` : type)),
    range,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems}`,
    preset !== undefined && `default ${JSON.stringify(preset)}`,
    description,
  ]
    .filter(part => typeof part === 'string' && part !== '')
    .join(', ')
}
