import { errorBody, Refusal, refuseField } from '@carapace/api'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { Me } from '../identity/me.ts'
import type { InsideAnswer } from '../inside/inside.ts'
import { type Performer, perform, type Values } from '../inside/operation.ts'
import { isRead, keyForm, keyName, type Tool } from './tools/tool.ts'

export interface Caller extends Performer {
  requestId: string
  authMode: 'plain' | 'signed'
  /** @throws Refusal where what it is known by contradicts itself */
  me(): Promise<Me>
}

/** Names of x402 in `_meta` (version 2, over MCP). */
const paymentField = 'x402/payment'
const receiptField = 'x402/payment-response'

/** Calls what a tool stands for. A refusal of the API is a result that is an error, with the error body as its text: a model can read it and do better. */
export async function callTool(tool: Tool, given: Values, meta: Values | undefined, caller: Caller): Promise<CallToolResult> {
  try {
    const { [keyName]: key, ...fields } = given
    // a read has no effect that a key could name: there it is a field like others
    return resultOf(tool, await perform(tool, isRead(tool) ? given : fields, caller, headersOf(isRead(tool) ? undefined : key, meta)))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return failed(errorBody(error, caller.requestId))
  }
}

function headersOf(key: unknown, meta: Values = {}): Record<string, string> {
  const payment = meta[paymentField]
  return {
    ...(key === undefined ? {} : { 'idempotency-key': keyIn(key) }),
    ...(payment === undefined ? {} : { [paymentHeader(payment)]: Buffer.from(JSON.stringify(payment)).toString('base64') }),
  }
}

/** What a header cannot hold is no key. @throws VALIDATION_ERROR */
function keyIn(key: unknown): string {
  if (typeof key === 'string' && keyForm.test(key)) return key
  return refuseField(keyName, 'must be 1 to 255 visible characters')
}

const paymentHeader = (payment: unknown): string =>
  (payment as { x402Version?: unknown } | null)?.x402Version === 1 ? 'x-payment' : 'payment-signature'

function resultOf({ list }: Tool, { status, headers, body }: InsideAnswer): CallToolResult {
  const data = JSON.parse(body.toString()) as Values
  const challenge = textOf(headers['payment-required'])
  if (status === 402 && challenge !== undefined) {
    const required = { ...decodePaymentRequiredHeader(challenge) }
    return { ...failed(required), structuredContent: required }
  }
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN)
  if (status >= 400) return failed(Number.isFinite(retryAfter) ? { ...data, retryAfter } : data)
  const total = Number(headers['x-total-count'] ?? Number.NaN)
  const shown = list ? { [list]: data, ...(Number.isFinite(total) ? { total } : {}) } : data
  const receipt = textOf(headers['payment-response'] ?? headers['x-payment-response'])
  return {
    content: [{ type: 'text', text: JSON.stringify(shown) }],
    structuredContent: shown,
    ...(receipt === undefined ? {} : { _meta: { [receiptField]: decodePaymentResponseHeader(receipt) } }),
  }
}

export const failed = (body: object): CallToolResult => ({ isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] })

const textOf = (header: string | string[] | undefined): string | undefined => (typeof header === 'string' ? header : undefined)
