import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Outer } from '../inside/inside.ts'
import type { Performer } from '../inside/operation.ts'
import type { Protocol } from '../protocols.ts'
import { sendSmaller } from '../proxy/compress.ts'
import type { Caller } from './call.ts'
import { mcpServer } from './server.ts'

export interface McpParts {
  performerOf(outer: Outer): Performer
  publicBaseUrl: string
}

/** Streamable HTTP without sessions: each POST has a server of its own and its answer is JSON. */
export function mcpProtocol({ performerOf, publicBaseUrl }: McpParts): Protocol {
  return async (outer, response, headers) => {
    const text = outer.body.toString()
    const message = parsed(text)
    const performer = performerOf(outer)
    let calls = 0
    const call: Caller['call'] = one => {
      calls++
      return performer.call(one)
    }
    const caller: Caller = { ...performer, call, requestId: outer.requestId }
    const server = mcpServer(caller, publicBaseUrl)
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    try {
      await server.connect(transport)
      const answer = await transport.handleRequest(asRequest(outer, text, publicBaseUrl), message === undefined ? {} : { parsedBody: message })
      // a call of the API was counted where it arrived
      if (calls === 0) await outer.count()
      const body = Buffer.from(await answer.arrayBuffer())
      for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!)
      sendSmaller(outer.request, response, answer.status, body, { ...Object.fromEntries(answer.headers), 'cache-control': 'private, no-store' })
    } finally {
      await server.close()
    }
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
