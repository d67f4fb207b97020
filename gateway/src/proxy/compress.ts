import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type BrotliCompress, brotliCompressSync, constants, createBrotliCompress, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { send } from '@carapace/service'
import { headerIn, type RawHeaders } from '../request/headers.ts'

/** Answers below this many bytes hardly shrink, and cost a round through the compressor all the same. */
const leastBytes = 1_000
/** Text that is read immediately; a stream of events would wait in the compressor. */
const compressible = /^(?:text\/(?!event-stream)|application\/(?:[a-z0-9.+-]*json|javascript|xml|vc\+jwt)|image\/svg\+xml)/

type Encoding = 'br' | 'gzip'
type Compressor = BrotliCompress | Gzip
/** High levels cost several times the processor time for a few percent. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const gzip = { level: 5 }
const compressors: Readonly<Record<Encoding, { stream: () => Compressor; flush: number; whole: (bytes: Buffer) => Buffer }>> = {
  br: { stream: () => createBrotliCompress(brotli), flush: constants.BROTLI_OPERATION_FLUSH, whole: bytes => brotliCompressSync(bytes, brotli) },
  // a full flush, the usual one, would forget what has been sent
  gzip: { stream: () => createGzip(gzip), flush: constants.Z_SYNC_FLUSH, whole: bytes => gzipSync(bytes, gzip) },
}

/** The best encoding that the client accepts; undefined: as it is. */
export function encodingFor({ 'accept-encoding': accept }: IncomingHttpHeaders): Encoding | undefined {
  if (typeof accept !== 'string') return undefined
  const accepted = new Map(accept.split(',').map(weighed))
  const qualityOf = (name: string) => accepted.get(name) ?? accepted.get('*') ?? 0
  const [br, gzip] = [qualityOf('br'), qualityOf('gzip')]
  if (br <= 0 && gzip <= 0) return undefined
  return br >= gzip ? 'br' : 'gzip'
}

function weighed(part: string): [name: string, quality: number] {
  const [name = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
  const quality = parameters.find(text => text.startsWith('q='))
  return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
}

/** The headers of an answer that goes out compressed, and what compresses it; undefined where it stays as it is. */
export function compressed(
  headers: RawHeaders,
  length: number,
  encoding: Encoding | undefined,
): { headers: RawHeaders; compressor: Compressor; flush: () => void } | undefined {
  if (encoding === undefined || (length >= 0 && length < leastBytes)) return undefined
  if (!compressible.test(headerIn(headers, 'content-type') ?? '') || headerIn(headers, 'content-encoding') !== undefined) return undefined
  const list: RawHeaders = []
  let vary = 'accept-encoding'
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i]!.toLowerCase(), headers[i + 1]!]
    if (name === 'vary') vary = `${value}, ${vary}`
    else if (name !== 'content-length') list.push(name, value)
  }
  const { stream, flush } = compressors[encoding]
  const compressor = stream()
  return { headers: [...list, 'vary', vary, 'content-encoding', encoding], compressor, flush: () => compressor.flush(flush) }
}

/** The files of the gateway in the forms in which they were sent. */
const files = new WeakMap<Buffer, Map<Encoding, Buffer>>()

/** `send` for what the gateway answers by itself, compressed as the answers of services are. */
export function sendSmaller(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string>,
): void {
  const encoding = request.method === 'HEAD' ? undefined : encodingFor(request.headers)
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  const own = Buffer.isBuffer(body) ? headers : { 'content-type': 'application/json; charset=utf-8', ...headers }
  if (encoding === undefined || bytes.length < leastBytes || !compressible.test(own['content-type'] ?? '')) {
    send(request, response, status, body, headers)
    return
  }
  const forms = files.get(bytes) ?? new Map<Encoding, Buffer>()
  const smaller = forms.get(encoding) ?? compressors[encoding].whole(bytes)
  files.set(bytes, forms.set(encoding, smaller))
  const vary = own.vary === undefined ? 'accept-encoding' : `${own.vary}, accept-encoding`
  send(request, response, status, smaller, { ...own, vary, 'content-encoding': encoding })
}
