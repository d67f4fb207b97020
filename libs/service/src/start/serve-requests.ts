import { type AnyEndpoint, moveClock } from '@carapace/api'
import type { AnyService, Handler, Platform } from '../define.ts'
import { openIdempotency } from '../http/idempotency.ts'
import { mount } from '../http/route.ts'
import type { JobRunner } from '../jobs/jobs.ts'
import type { Closers } from './runtime.ts'

/** Answers to the same request twice, opened with the rest of the data. */
export function openStoredAnswers({ db, log }: Platform, closers: Closers): ReturnType<typeof openIdempotency> {
  const idempotency = openIdempotency(db, log)
  closers.push(() => idempotency.close())
  return idempotency
}

/** What answers the declared requests of a service; with SANDBOX also the one that moves the platform clock. */
export function serveRequests(
  service: AnyService,
  parts: Platform,
  { idempotency, internalKey, jobs }: { idempotency: ReturnType<typeof openIdempotency>; internalKey: string; jobs: JobRunner },
): ReturnType<typeof mount> {
  const { clock, config } = parts
  const moveOwnClock: Handler<typeof moveClock> = async ({ body: { offsetMs } }) => {
    await clock.advanceTo(offsetMs)
    await Promise.all([jobs.runAll(), clock.reached(offsetMs)])
    return { offsetMs: clock.offsetMs() }
  }
  const handlers = { ...(service.http(parts) as Record<string, Handler<AnyEndpoint>>), moveClock: moveOwnClock as Handler<AnyEndpoint> }
  const ofSandbox = config.SANDBOX ? { moveClock } : {}
  const api = { ...service.api, internal: { ...service.api.internal, ...ofSandbox } }
  return mount(api, handlers, { platform: parts, idempotency, internalKey, checkAnswers: config.CHECK_ANSWERS })
}
