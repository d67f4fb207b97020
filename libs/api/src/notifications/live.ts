import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, pathId, timestamp, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { consumes } from './consumes.ts'

/** The types of the live stream, without their version. */
export const liveEventTypes: readonly string[] = [...new Set(consumes.map(({ name }) => name))].sort()

/** One event of the live stream: `data` has what the reader may see of its payload, money in micro-USDC as decimal text. */
export const liveEvent = z
  .looseObject({ id, type: z.string(), subject: id, version: z.int(), time: timestamp, data: z.looseObject({}) })
  .meta({ id: 'LiveEvent' })
export type LiveEvent = z.output<typeof liveEvent>

/** Types by name, or groups: all that begin with the text before `.*`. */
const typesQuery = z
  .string()
  .transform((list, context) => {
    const wanted = list.split(',').map(name => name.trim())
    const found = wanted.map(name => liveEventTypes.filter(type => type === name || (name.endsWith('.*') && type.startsWith(name.slice(0, -1)))))
    const unknown = wanted.filter((_, at) => found[at]!.length === 0)
    if (wanted.length <= limits.events.types && unknown.length === 0) return [...new Set(found.flat())]
    const message = unknown.length > 0 ? `knows no type ${unknown[0]}` : `must be at most ${limits.events.types} types`
    context.issues.push({ code: 'custom', message, input: list })
    return z.NEVER
  })
  .meta({ type: 'string', description: 'Types or groups, separated by commas', example: 'escrow.escrow.released,marketplace.gig.*' })

export const streamEvents = endpoint({
  method: 'get',
  path: '/api/events',
  summary:
    'What happens, as server-sent events: what is public for everybody, the rest for its parties; Last-Event-ID repeats what came since, for 7 days',
  caller: 'optional',
  query: { type: typesQuery.optional(), agent: pathId.optional(), gig: uuid.optional(), job: uuid.optional() },
  errors: ['RATE_LIMITED'],
  produces: 'text/event-stream',
})
