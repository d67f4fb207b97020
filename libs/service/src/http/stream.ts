import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Express, Request, Response } from 'express'
import type { Logger } from '../telemetry/log.ts'
import { Reply } from './reply.ts'

/** An answer without an end: the frames that `open` yields, until its signal says that the reader has disconnected or the service ends. */
export class EventStream {
  readonly open: (signal: AbortSignal) => AsyncIterable<string>

  constructor(open: EventStream['open']) {
    this.open = open
  }
}

/** Server-sent events. @example return eventStream(signal => newEntries(params.id, signal)) */
export const eventStream = (open: EventStream['open']) => new Reply(undefined, new EventStream(open))

/** One event in the form of the HTML standard, 9.2.5. `data` is sent as JSON, which has no line breaks. */
export const eventFrame = ({ id, event, data }: { id: string; event: string; data: unknown }) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Sends the head immediately, and frames as fast as the reader accepts them. */
export function sendEvents(request: Request, response: Response, { open }: EventStream, headers: Record<string, string>, log: Logger): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  response.flushHeaders()
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const streams = streamsOf(request.app as Express)
  const ending = new AbortController()
  streams.add(ending)
  response.once('close', () => ending.abort())
  pipeline(Readable.from(open(ending.signal)), response)
    .catch((error: unknown) => {
      if (!ending.signal.aborted) log.warn({ err: error, route: request.path }, 'a stream broke off')
    })
    .finally(() => streams.delete(ending))
}

/** Ends what would otherwise prevent the server from closing. */
export function endStreams(app: Express): void {
  for (const stream of streamsOf(app)) stream.abort()
}

/** The streams that an app has open. */
function streamsOf({ locals }: Express): Set<AbortController> {
  locals.streams ??= new Set<AbortController>()
  return locals.streams
}
