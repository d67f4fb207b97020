import { type AnyEndpoint, Refusal, refuseField, requestOf } from '@carapace/api'
import type { z } from 'zod'
import type { InsideAnswer, InsideCall } from './inside.ts'

/** An endpoint whose parameters, query and body are given as fields of one object. */
export interface Operation {
  endpoint: AnyEndpoint
  /** Names of fields that say more than those of the declaration: declared → shown. */
  names: Readonly<Record<string, string>>
  /** The declared field that names the acting agent: the caller, where it is left out. */
  actor: string | undefined
  /** The same of its wallet. */
  wallet?: string | undefined
}

/** Who has an operation performed. */
export interface Performer {
  call(call: InsideCall): Promise<InsideAnswer>
  /** The id of the agent that the outer request names, proven or not. */
  agentId(): Promise<string | undefined>
  /** The wallet that it names, proven or not. */
  wallet(): string | undefined
}

export type Values = Readonly<Record<string, unknown>>

/** Declared fields, by where they go. */
export const fieldsOf = ({ endpoint }: Operation) => ({
  params: endpoint.params.shape as Record<string, z.ZodType>,
  query: endpoint.query.shape as Record<string, z.ZodType>,
  body: ((endpoint.body as z.ZodObject | undefined)?.shape ?? {}) as Record<string, z.ZodType>,
})

export const shownName = ({ names }: Operation, field: string): string => names[field] ?? field

/** Performs an operation by a call of the API. @throws VALIDATION_ERROR for a field that there is not, and without one that the address needs; everything else the API judges */
export async function perform(
  operation: Operation,
  given: Values,
  performer: Performer,
  headers: Readonly<Record<string, string>> = {},
): Promise<InsideAnswer> {
  const { endpoint, actor, wallet } = operation
  const fields = fieldsOf(operation)
  refuseUnknown(operation, given)
  const own = async (field: string) => (field === actor ? performer.agentId() : field === wallet ? performer.wallet() : undefined)
  const fieldValue = async (field: string): Promise<unknown> => given[shownName(operation, field)] ?? own(field)
  const pick = async (shape: object) => {
    const entries = await Promise.all(Object.keys(shape).map(async field => [field, await fieldValue(field)] as const))
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
  const [params, query, body] = await Promise.all([pick(fields.params), pick(fields.query), pick(fields.body)])
  const wrong = [...Object.keys(params).filter(field => !isPlain(params[field])), ...Object.keys(query).filter(field => !isPlainList(query[field]))]
  if (wrong.length > 0)
    throw new Refusal('VALIDATION_ERROR', {
      errors: wrong.map(field => ({ path: shownName(operation, field), message: 'must be text or a number' })),
    })
  const missing = Object.keys(fields.params).filter(field => params[field] === undefined || params[field] === '')
  if (missing.length > 0)
    throw new Refusal('VALIDATION_ERROR', { errors: missing.map(field => ({ path: shownName(operation, field), message: 'is needed' })) })
  return performer.call({ ...addressOf(endpoint, params, query), headers, ...(endpoint.body === undefined ? {} : { body }) })
}

/** A filter that is spelt wrongly would be none at all: nobody would see that the answer is to another question. */
function refuseUnknown(operation: Operation, given: Values): void {
  const { params, query, body } = fieldsOf(operation)
  const declared = Object.keys({ ...params, ...query, ...body }).map(field => shownName(operation, field))
  const unknown = Object.keys(given).filter(name => given[name] !== undefined && !declared.includes(name))
  const message = declared.length === 0 ? 'is no field: there is none' : `is no field. There are: ${declared.join(', ')}`
  if (unknown.length > 0) throw new Refusal('VALIDATION_ERROR', { errors: unknown.map(path => ({ path, message })) })
}

/** What has a form in an address. */
const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null
const isPlainList = (value: unknown): boolean => (Array.isArray(value) ? value.every(isPlain) : isPlain(value))

function addressOf(endpoint: AnyEndpoint, params: Values, query: Values) {
  try {
    return requestOf(endpoint, { params: params as Record<string, string>, query: query as Record<string, string> })
  } catch (error) {
    // half a character has no form in an address
    if (error instanceof URIError) refuseField('url', 'a field of the address is no text')
    throw error
  }
}
