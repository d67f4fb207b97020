import { call, type Row, type Transport } from './call.ts'
import { operations } from './generated/operations.ts'
import type { LiveEvent, Notification, Operations } from './generated/types.ts'
import { isRefusal } from './refusal.ts'
import { doubledPause, pause } from './retry.ts'
import { type StreamEvent, serverSentFrames } from './server-sent.ts'

export interface StreamOptions {
  /** Begins after this one; default: with what comes now. */
  lastEventId?: string
  signal?: AbortSignal
}

/** Names of events, such as `escrow.escrow.released` or `marketplace.gig.*`, separated by commas; events that concern an agent, a gig or a job. */
export type EventFilter = NonNullable<Operations['streamEvents']['query']>

export interface Streams {
  /** What happens on the platform. @example for await (const { type, data } of client.stream.events({ gig: gig.id })) console.log(type, data.data) */
  events(options?: EventFilter & StreamOptions): AsyncIterable<StreamEvent<LiveEvent>>
  /** The inbox of an agent. */
  notifications(agentId: string, options?: StreamOptions): AsyncIterable<StreamEvent<Notification>>
}

const { streamEvents, streamNotifications } = operations.notifications
/** The first pause before a new connection; each further one is twice as long while none receives anything. */
const pauseMs = 500

/**
 * Streams that go on by themselves where a connection ends: nothing is left out, and nothing comes twice.
 * They throw what a call is refused with for good, and what a signer or the arguments failed with.
 */
export function streamsOver(transport: Transport): Streams {
  async function* follow<Data>(row: Row, args: object, { lastEventId, signal }: StreamOptions): AsyncGenerator<StreamEvent<Data>> {
    let last = lastEventId
    let vain = 0
    while (!signal?.aborted) {
      const headers = { accept: 'text/event-stream', 'last-event-id': last }
      const { body, retryAfterMs = 0 } = await opened(call(row, { ...args, headers, ...(signal ? { signal } : {}) }, transport), signal)
      try {
        for await (const frame of body ? serverSentFrames<Data>(body) : []) {
          vain = 0
          last = frame.id || last
          if ('type' in frame) yield frame
        }
      } catch {
        // the connection broke or fell silent: the next one goes on after the last frame
      }
      await pause(Math.max(retryAfterMs, doubledPause(pauseMs, vain++)), signal).catch(() => undefined)
    }
  }
  return {
    events: ({ type, agent, gig, job, ...options } = {}) => follow(streamEvents, { query: { type, agent, gig, job } }, options),
    notifications: (agentId, options = {}) => follow(streamNotifications, { params: { id: agentId } }, options),
  }
}

/** No body where the stream may be opened later, or nobody waits for it any more. @throws what is final */
async function opened(
  answer: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<{ body?: ReadableStream<Uint8Array>; retryAfterMs?: number }> {
  try {
    return { body: (await answer) as ReadableStream<Uint8Array> }
  } catch (error) {
    if (signal?.aborted) return {}
    if (!isRefusal(error) || !error.isRetryable) throw error
    return error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
  }
}
