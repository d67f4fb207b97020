import { once } from 'node:events'
import type { Express, Request, Response } from 'express'
import { withTimeLimit } from '../clock/time-limit.ts'
import type { Logger } from '../telemetry/log.ts'
import { Reply } from './reply.ts'

type Frames = AsyncIterable<string | Uint8Array>

/** An answer without an end: the frames that `open` yields, until its signal says that the reader has disconnected or the service ends. */
export class EventStream {
  readonly open: (signal: AbortSignal) => Frames
  readonly stalledMs: number

  constructor(open: EventStream['open'], stalledMs: number) {
    this.open = open
    this.stalledMs = stalledMs
  }
}

const usualStalledMs = 30_000

/**
 * Server-sent events. @param stalledMs a reader that accepts nothing for so long is disconnected: what it got last says where it resumes
 * @example return eventStream(signal => newEntries(params.id, signal))
 */
export const eventStream = (open: EventStream['open'], stalledMs = usualStalledMs) => new Reply(undefined, new EventStream(open, stalledMs))

/** One event in the form of the HTML standard, 9.2.5. `data` is sent as JSON, which has no line breaks. */
export const eventFrame = ({ id, event, data }: { id: string; event: string; data: unknown }) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Sends the head immediately, and frames as fast as the reader accepts them. */
export function sendEvents(
  request: Request,
  response: Response,
  { open, stalledMs }: EventStream,
  headers: Record<string, string>,
  log: Logger,
): void {
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
  deliver(open(ending.signal), response, ending.signal, stalledMs)
    .catch((error: unknown) => {
      if (!ending.signal.aborted) log.warn({ err: error, route: request.path }, 'a stream broke off')
      response.destroy()
    })
    .finally(() => streams.delete(ending))
}

/** One frame at a time is on its way: a reader that does not read costs no more memory than one that does. @throws where it accepts none for too long */
async function deliver(frames: Frames, response: Response, ended: AbortSignal, stalledMs: number): Promise<void> {
  for await (const frame of frames) {
    if (!response.write(frame)) await withTimeLimit(ended, stalledMs, signal => once(response, 'drain', { signal }))
  }
  response.end()
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
