import { Refusal } from '@carapace/api'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Me } from '../identity/me.ts'
import type { Outer } from '../inside/inside.ts'
import type { Performer } from '../inside/operation.ts'
import type { Protocol } from '../protocols.ts'
import { sendSmaller } from '../proxy/compress.ts'
import { isTooDeep, tooDeep } from '../request/nesting.ts'
import { ClientDisconnected } from '../request/request.ts'
import type { Caller } from './call.ts'
import { meTool } from './me.ts'
import { mcpServer, type OpenServer } from './server.ts'

export interface McpParts {
  performerOf(outer: Outer): Performer
  meOf(outer: Outer): Promise<Me>
  authMode: 'plain' | 'signed'
  publicBaseUrl: string
  /** Default: the API. */
  openServer?: OpenServer
}

/** Of a batch, which versions of the protocol before 2025-06-18 know. */
const mostMessages = 10
const invalidRequest = -32_600
/** A call of the API ends before. */
const limitMs = 30_000

/** Streamable HTTP without sessions: each POST has a server of its own and its answer is JSON. */
export function mcpProtocol({ performerOf, meOf, authMode, publicBaseUrl, openServer = mcpServer }: McpParts): Protocol {
  return async (outer, response, headers) => {
    const text = outer.body.toString()
    const message = parsed(text)
    const isCounted = isOneCall(message)
    const messages = Array.isArray(message) ? message.length : 1
    // before anything is done for it; of too many one is enough, since none is answered
    if (!isCounted) for (let i = 0; i < (messages > mostMessages ? 1 : messages); i++) await outer.count()
    const performer = performerOf(outer)
    let calls = 0
    const call: Caller['call'] = one => {
      calls++
      return performer.call(one)
    }
    const caller: Caller = { ...performer, call, me: () => meOf(outer), authMode, requestId: outer.requestId }
    const server = openServer(caller, publicBaseUrl)
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    try {
      await server.connect(transport)
      const given = message === undefined ? {} : { parsedBody: withoutCancels(message) }
      const fault = messages > mostMessages ? `A batch holds at most ${mostMessages} messages` : isTooDeep(message) ? tooDeep : undefined
      const answered = () => inTime(transport.handleRequest(asRequest(outer, text, publicBaseUrl), given), outer.signal)
      const answer = fault === undefined ? await answered() : refused(fault)
      // a call of the API was counted where it arrived
      if (isCounted && calls === 0) await outer.count()
      const body = Buffer.from(await answer.arrayBuffer())
      for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!)
      sendSmaller(outer.request, response, answer.status, body, { ...Object.fromEntries(answer.headers), 'cache-control': 'private, no-store' })
    } finally {
      await server.close()
    }
  }
}

/** Whether it is answered by one call of the API, which counts by itself. `get_me` is none: it reads identity itself. */
const isOneCall = (message: unknown): boolean =>
  ['tools/call', 'resources/read', 'completion/complete'].includes(methodOf(message) ?? '') && toolOf(message) !== meTool.name

/** What comes with a request cannot cancel it: the transport would never answer. */
const withoutCancels = (message: unknown): unknown =>
  Array.isArray(message) ? message.filter(one => methodOf(one) !== 'notifications/cancelled') : message

const methodOf = (message: unknown): string | undefined => (message as { method?: string } | null)?.method
const toolOf = (message: unknown): unknown => (message as { params?: { name?: unknown } | null } | null)?.params?.name

const refused = (message: string) => Response.json({ jsonrpc: '2.0', error: { code: invalidRequest, message }, id: null }, { status: 400 })

/** @throws TIMEOUT; ClientDisconnected */
async function inTime(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  let timer: NodeJS.Timeout | undefined
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal('TIMEOUT')), limitMs)
    const leave = () => reject(new ClientDisconnected())
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
  try {
    return await Promise.race([answer, ended])
  } finally {
    clearTimeout(timer)
  }
}

const asRequest = ({ request }: Outer, body: string, publicBaseUrl: string): Request => {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []))
  return new Request(`${publicBaseUrl}/mcp`, { method: 'POST', headers, body })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the transport says what is wrong with it
    return undefined
  }
}
