import { call, type Row, type Transport } from './call.ts'
import type { Notification } from './generated/types.ts'
import { isRefusal } from './refusal.ts'
import { pause } from './retry.ts'
import { type StreamEvent, serverSentEvents } from './server-sent.ts'

export interface StreamOptions {
  /** Begins after this one; default: with what comes now. */
  lastEventId?: string
  signal?: AbortSignal
}

export interface EventFilter {
  /** Names of events, separated by commas, such as `escrow.escrow.released`, or of groups, such as `marketplace.gig.*`. */
  type?: string
  /** Events that concern this agent. */
  agent?: string
  gig?: string
  job?: string
}

export interface Streams {
  /** What happens on the platform. @example for await (const { type, data } of client.stream.events({ gig: gig.id })) console.log(type) */
  events(options?: EventFilter & StreamOptions): AsyncIterable<StreamEvent>
  /** The inbox of an agent. */
  notifications(agentId: string, options?: StreamOptions): AsyncIterable<StreamEvent<Notification>>
}

const eventsRow: Row = { method: 'GET', path: '/api/events', reads: 'stream' }
const notificationsRow: Row = { method: 'GET', path: '/api/agents/:id/notifications/stream', reads: 'stream' }
const pauseMs = 500

/** Streams that go on by themselves where a connection ends: nothing is left out, and nothing comes twice. */
export function streamsOver(transport: Transport): Streams {
  async function* follow<Data>(row: Row, args: object, { lastEventId, signal }: StreamOptions): AsyncGenerator<StreamEvent<Data>> {
    let last = lastEventId
    while (!signal?.aborted) {
      try {
        const headers = { accept: 'text/event-stream', 'last-event-id': last }
        const body = await call(row, { ...args, headers, ...(signal ? { signal } : {}) }, transport)
        for await (const event of serverSentEvents<Data>(body as ReadableStream<Uint8Array>)) {
          last = event.id || last
          yield event
        }
      } catch (error) {
        if (signal?.aborted) return
        if (isRefusal(error) && !error.isRetryable) throw error
      }
      await pause(pauseMs, signal).catch(() => undefined)
    }
  }
  return {
    events: ({ type, agent, gig, job, ...options } = {}) => follow(eventsRow, { query: { type, agent, gig, job } }, options),
    notifications: (agentId, options = {}) => follow(notificationsRow, { params: { id: agentId } }, options),
  }
}
