import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { id } from './fields.ts'

/**
 * The event by which an owner announces a row of its data again, so that a consumer can build its projection again.
 * `row` is the JSON of the internal read of that kind, `version` the aggregate's version. A service whose rows others read declares their fields.
 */
export const snapshotEvent = <Service extends string>(
  service: Service,
  kinds: readonly [string, ...string[]],
  row: z.ZodType<Record<string, unknown>, Record<string, unknown>> = z.record(z.string(), z.unknown()),
) =>
  event(
    `${service}.snapshot.published`,
    'id',
    'A full row, announced again for rebuilding projections',
    { kind: z.enum(kinds), id, version: z.int().min(0), row },
    'internal',
  )

/** Requests an owner to announce its rows again, at most `limit` from after `after`, in order of id. */
export const announceEndpoint = (kinds: readonly [string, ...string[]]) =>
  endpoint({
    method: 'post',
    path: '/internal/v1/snapshots',
    caller: 'internal',
    summary: 'Announce rows again',
    body: z.object({ kind: z.enum(kinds), after: id.optional(), limit: z.int().min(1).max(1000).default(500) }),
    response: z.looseObject({ announced: z.int(), last: z.string().nullable() }),
    status: 202,
  })
