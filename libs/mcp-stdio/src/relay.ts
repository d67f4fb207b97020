import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** Sends a request, signed or not. */
export type Send = (url: string, init: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal }) => Promise<Response>

export interface RelayOptions {
  /** The gateway, without a slash at the end. */
  url: string
  send: Send
  /** Of the session, once it is agreed on. */
  protocolVersion?: string | undefined
}

const timeoutMs = 60_000
/** Of JSON-RPC. */
const internalError = -32_603

/**
 * Passes one message on to the gateway. Resolves to what it answers: nothing for a notification.
 * @example await relayed({ jsonrpc: '2.0', id: 1, method: 'ping' }, { url: 'http://127.0.0.1:3000', send: fetch })
 */
export async function relayed(message: JSONRPCMessage, { url, send, protocolVersion }: RelayOptions): Promise<JSONRPCMessage[]> {
  const id = 'id' in message ? message.id : undefined
  const failed = (reason: string): JSONRPCMessage[] =>
    id === undefined || !('method' in message) ? [] : [{ jsonrpc: '2.0', id, error: { code: internalError, message: reason } }]
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }),
  }
  try {
    const response = await send(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message), signal: AbortSignal.timeout(timeoutMs) })
    const text = await response.text()
    if (text === '') return response.ok ? [] : failed(`The gateway answered ${response.status}`)
    const answer = JSON.parse(text) as JSONRPCMessage | JSONRPCMessage[] | { message?: string; code?: string }
    if (Array.isArray(answer)) return answer
    return 'jsonrpc' in answer ? [answer] : failed(`The gateway refused the request: ${answer.code} ${answer.message}`)
  } catch (error) {
    return failed(`No answer from ${url}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
