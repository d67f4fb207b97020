import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as it was exported, with the service that recorded it. */
export interface ExportedSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  /** Empty for the root of a trace. */
  parentSpanId: string
  attributes: Record<string, unknown>
}

export interface OtlpSink {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: ExportedSpan[]
  close(): Promise<void>
}

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number; boolValue?: boolean }
}
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Pick<ExportedSpan, 'name' | 'traceId' | 'spanId'> & { parentSpanId?: string; attributes: Attribute[] })[] }[]
  }[]
}

/** Receives spans by OTLP over HTTP (JSON), as a collector does. @example const sink = await startOtlpSink(); … sink.spans */
export async function startOtlpSink(): Promise<OtlpSink> {
  const spans: ExportedSpan[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += chunk
    spans.push(...spansOf(JSON.parse(body) as Export))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const spansOf = ({ resourceSpans }: Export): ExportedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name'])
    return scopeSpans.flatMap(scope =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId = '', attributes }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId,
        attributes: plain(attributes),
      })),
    )
  })

const plain = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
