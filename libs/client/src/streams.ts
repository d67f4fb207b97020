import { call, type Row, type Transport } from './call.ts'
import { operations } from './generated/operations.ts'
import type { LiveEvent, Notification, Operations } from './generated/types.ts'
import { isRefusal } from './refusal.ts'
import { pause } from './retry.ts'
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
const pauseMs = 500

/** Streams that go on by themselves where a connection ends: nothing is left out, and nothing comes twice. */
export function streamsOver(transport: Transport): Streams {
  async function* follow<Data>(row: Row, args: object, { lastEventId, signal }: StreamOptions): AsyncGenerator<StreamEvent<Data>> {
    let last = lastEventId
    while (!signal?.aborted) {
      try {
        const headers = { accept: 'text/event-stream', 'last-event-id': last }
        const body = await call(row, { ...args, headers, ...(signal ? { signal } : {}) }, transport)
        for await (const frame of serverSentFrames<Data>(body as ReadableStream<Uint8Array>)) {
          last = frame.id || last
          if ('type' in frame) yield frame
        }
      } catch (error) {
        if (signal?.aborted) return
        if (isRefusal(error) && !error.isRetryable) throw error
      }
      await pause(pauseMs, signal).catch(() => undefined)
    }
  }
  return {
    events: ({ type, agent, gig, job, ...options } = {}) => follow(streamEvents, { query: { type, agent, gig, job } }, options),
    notifications: (agentId, options = {}) => follow(streamNotifications, { params: { id: agentId } }, options),
  }
}
