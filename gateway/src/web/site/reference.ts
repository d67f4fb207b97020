import { type ServiceName, serviceSummaries } from '@carapace/api'
import { sentence } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { row } from '../parts/basics.ts'
import { docsNav } from './docs-nav.ts'
import type { SiteParts } from './parts.ts'

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
  responses?: Readonly<Record<string, { content?: Readonly<Record<string, { schema: Schema }>> }>>
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
${operations.map(one => operationView(one, document))}</div></div>`,
    },
    { caching: 'shared' },
  )
}

function operationView({ path, method, operation }: { path: string; method: string; operation: Operation }, document: OpenApi): Html {
  const inputs = operation.parameters?.filter(parameter => parameter.in !== 'header') ?? []
  const body = operation.requestBody?.content['application/json']?.schema
  const answer = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2'))
  const answerSchema = answer?.[1].content?.['application/json']?.schema
  return html`<article class="endpoint card" id="${method}-${path.replace(/\W+/g, '-')}"><h2 class="endpoint-head"><span class="method">${method}</span><code>${path}</code></h2>
<p>${operation.summary}</p><p class="muted small-text">${operation.description}</p>
${inputs.length > 0 && html`<h3>Parameters</h3><dl class="facts small-text">${inputs.map(({ name, schema, required, description }) => row(`${name}${required ? '' : '?'}`, sayingOf({ ...schema, ...(description ? { description } : {}) }, document)))}</dl>`}
${body && html`<h3>Body</h3>${fields(body, document)}`}
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
