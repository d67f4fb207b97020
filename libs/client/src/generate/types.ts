import { type AnyEndpoint, type ErrorCode, errors, type Json, liveEvent, type ServiceApi, schemaBook, typesOnly } from '@carapace/api'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import type { z } from 'zod'
import { operationsOf } from './table.ts'

/**
 * The types of the published client as TypeScript: every named schema under its name, and one `Operations` with what each operation needs and answers.
 * @example writeFileSync('types.ts', await sdkTypes(Object.values(apis)))
 */
export async function sdkTypes(apis: readonly ServiceApi[]): Promise<string> {
  const book = schemaBook('#/components/schemas/')
  const operations = Object.fromEntries(operationsOf(apis).map(({ name, endpoint }) => [name, partsOf(endpoint, book)]))
  // no operation answers it: it comes by the stream
  book.schema(liveEvent, 'output')
  const schemas = typesOnly({ properties: { ...book.named(), Operations: objectOf(operations) } }) as { properties: Json }
  const document = {
    openapi: '3.1.1',
    info: { title: 'Carapace', version: '0' },
    paths: {},
    components: { schemas: schemas.properties },
  } as unknown as OpenAPI3
  const nodes = await openapiTS(document, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
  })
  const wanted = nodes.filter(
    node => !/^export (interface (paths|webhooks|operations)|type (paths|webhooks|operations|\$defs) )/.test(astToString(node)),
  )
  const codes = (Object.keys(errors) as ErrorCode[]).map(code => `  | '${code}'`).join('\n')
  const text = astToString(wanted)
    .replace(/^ *\/\*\* @(enum|constant).*\n/gm, '')
    .replace(/\n *\* @(enum|constant).*/g, '')
    .replaceAll('@description ', '')
  return `/** What the platform refuses with. */\nexport type ErrorCode =\n${codes}\n\n${text}`
}

/** Each part that an operation has; a part that may be left out is one that accepts nothing. */
function partsOf({ params, query, body, response }: AnyEndpoint, book: ReturnType<typeof schemaBook>): Json {
  const has = (fields: z.ZodObject) => Object.keys(fields.shape).length > 0
  return objectOf({
    ...(has(params) ? { params: objectOf(Object.fromEntries(Object.keys(params.shape).map(name => [name, { type: 'string' }]))) } : {}),
    ...(has(query) ? { query: { ...book.inline(query, 'input'), optional: query.safeParse({}).success } } : {}),
    ...(body ? { body: { ...book.inline(body, 'input'), optional: body.safeParse({}).success } } : {}),
    response: response ? book.schema(response, 'output') : {},
  })
}

function objectOf(properties: Record<string, Json>): Json {
  const entries = Object.entries(properties)
  const required = entries.filter(([, { optional }]) => !optional).map(([name]) => name)
  return { type: 'object', properties: Object.fromEntries(entries.map(([name, { optional: _, ...schema }]) => [name, schema])), required }
}
