import { type AnyEndpoint, type Json, selfContained } from '@carapace/api'
import { z } from 'zod'
import { fieldsOf, type Operation, shownName } from '../../inside/operation.ts'
import { brief, short } from './brief.ts'
import { wordsOf } from './words.ts'

/** One tool of MCP: an endpoint of the API in words for a model. */
export interface Tool extends Operation {
  name: string
  title: string
  description: string
  /** Under what an answer that is a bare list is shown: what MCP calls structured is an object. */
  list: string | undefined
  /** Moves money or ends something for good. */
  destructive: boolean
}

type Options = Partial<Pick<Tool, 'names' | 'actor' | 'wallet' | 'list' | 'destructive'>>

export function tool(name: string, title: string, endpoint: AnyEndpoint, description: string, options: Options = {}): Tool {
  return { name, title, endpoint, description, names: {}, actor: endpoint.self ?? endpoint.actor, list: undefined, destructive: false, ...options }
}

/** A write under the same key has one effect (behaviour 1.9). */
export const keyName = 'idempotencyKey'
export const keyForm = /^[\x21-\x7e]{1,255}$/
const key = z.string().regex(keyForm).optional().meta({ description: 'Repeat a call that got no answer under the same key: it then has one effect' })

/** A challenge of x402 (version 2, over MCP). */
const paymentRequired = {
  type: 'object',
  properties: { x402Version: { type: 'number' }, error: { type: 'string' }, accepts: { type: 'array', items: { type: 'object' } } },
  required: ['x402Version', 'accepts'],
}

export const isRead = ({ endpoint }: Tool): boolean => endpoint.rate === 'read'

/** A tool as `tools/list` answers it; its schemas are those of the declaration. */
export function listed(tool: Tool) {
  const { name, title, description, destructive } = tool
  return {
    name,
    title,
    description,
    inputSchema: inputOf(tool) as { type: 'object' },
    outputSchema: outputOf(tool) as { type: 'object' },
    // the rest is as the protocol has it by default: not idempotent, and in an open world, where what other agents do changes the answer
    annotations: { readOnlyHint: isRead(tool), ...(isRead(tool) ? {} : { destructiveHint: destructive }) },
  }
}

function inputOf(tool: Tool): Json {
  const { params, query, body } = fieldsOf(tool)
  const shown = Object.entries({ ...params, ...query, ...body }).map(([field, type]) => [
    shownName(tool, field),
    field === tool.actor || field === tool.wallet ? callersOwn(type, field === tool.wallet) : type,
  ])
  const schema = selfContained(z.strictObject({ ...Object.fromEntries(shown), ...(isRead(tool) ? {} : { [keyName]: key }) }), 'input')
  const fields = Object.entries(schema.properties as Record<string, Json>).map(([name, field]) => {
    const description = field.description ?? wordsOf(tool.name, name)
    return [name, description === undefined ? field : { ...field, description }]
  })
  return short({ ...schema, properties: Object.fromEntries(fields) })
}

const callersOwn = (type: z.ZodType, isWallet: boolean): z.ZodType =>
  type.optional().meta({ description: isWallet ? 'Default: your wallet, the one that get_me names' : 'Default: you, the caller' })

function outputOf({ endpoint, list }: Tool): Json {
  const answer = selfContained(endpoint.response!, 'output')
  const shown = brief(list ? { type: 'object', properties: { [list]: answer, total: { type: 'integer' } }, required: [list] } : answer)
  const isSold = endpoint.prices.some(({ gated }) => gated) || endpoint.quote !== undefined
  return isSold ? { type: 'object', anyOf: [shown, paymentRequired] } : shown
}
