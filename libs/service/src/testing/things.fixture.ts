import { endpoint, event, refuse, retryableIn, serviceApi } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { z } from 'zod'
import { contextHeader, expiry, type RequestContext, requestIdHeader, signContext } from '../context/context.ts'
import { type AnyService, defineService, on, type Platform } from '../define.ts'
import { parted } from '../http/parted.ts'
import { bareList, content, reply } from '../http/reply.ts'

/** A small service that the tests of this library run: things are made, listed and read; the title of a thing says what becomes of it. */
export const thingMade = event('social.thing.made', 'id', 'A thing was made', { id: z.string(), title: z.string() })

const thing = z.looseObject({ id: z.string() })
const paging = { limit: z.coerce.number().int().min(1).max(100).default(2), offset: z.coerce.number().int().min(0).default(0) }
const newThing = z.object({ title: z.string().min(1, 'must not be empty').max(20), authorId: z.string().optional(), more: z.unknown().optional() })

export const thingsApi = serviceApi('social', {
  endpoints: {
    makeThing: endpoint({
      method: 'post',
      path: '/api/things',
      caller: 'agent',
      actor: 'authorId',
      status: 201,
      summary: 'Make',
      body: newThing,
      response: thing,
      errors: ['REPLAY_DETECTED'],
    }),
    makeOwn: endpoint({ method: 'post', path: '/api/agents/:id/things', caller: 'wallet', self: 'id', summary: 'Make own', body: newThing }),
    makeSecret: endpoint({ method: 'post', path: '/api/secrets', caller: 'agent', sensitive: true, summary: 'Make a secret' }),
    getThing: endpoint({
      method: 'get',
      path: '/api/things/:id',
      caller: 'public',
      summary: 'One',
      query: { view: z.enum(['full', 'brief']).default('full') },
    }),
    getPicture: endpoint({ method: 'get', path: '/api/things/:id.png', caller: 'public', summary: 'Picture', produces: 'image/png' }),
    getPage: endpoint({ method: 'get', path: '/api/things/:id/page', caller: 'public', summary: 'Page', produces: 'text/html' }),
    getMine: endpoint({ method: 'get', path: '/api/mine', caller: 'agent', summary: 'Mine' }),
    listThings: endpoint({ method: 'get', path: '/api/things', caller: 'public', summary: 'All', query: paging }),
  },
  internal: { getRow: endpoint({ method: 'get', path: '/internal/v1/things/:id', caller: 'internal', summary: 'Row', query: paging }) },
  events: { thingMade },
  consumes: [thingMade],
})

export interface Effect {
  title: string
  operationId: string
}

/** What the test reads and decides. */
export interface Harness {
  effects: Effect[]
  /** Handlers of `slow` things wait for it. */
  gate: Promise<void>
  openGate(): void
  received: string[]
  /** Called with each effect. */
  onEffect(effect: Effect): void
  restOfPage(): Promise<string>
}

export function newHarness(): Harness {
  let openGate = () => {}
  const gate = new Promise<void>(resolve => {
    openGate = resolve
  })
  return { effects: [], gate, openGate, received: [], onEffect: () => {}, restOfPage: async () => '' }
}

export const things = (harness: Harness, more: Partial<AnyService> = {}): AnyService => ({
  ...defineService({
    api: thingsApi,
    stores: () => ({}),
    http: ({ emit, newId }: Platform) => {
      const make = async ({ body: { title }, operationId }: { body: { title: string }; operationId: string }) => {
        harness.effects.push({ title, operationId })
        harness.onEffect({ title, operationId })
        await outcomes[title]?.(harness)
        const id = newId()
        await emit([thingMade.of({ id, title })])
        return { id, title, operationId }
      }
      return {
        makeThing: make,
        makeOwn: async input => reply(202, await make(input)),
        makeSecret: ({ operationId }) => {
          harness.effects.push({ title: 'secret', operationId })
          return { token: 'inv_0123456789' }
        },
        getThing: ({ params, query }) => ({ id: params.id, ...query }),
        getPicture: () => content('image/png', Buffer.from([137, 80, 78, 71])),
        getPage: () => {
          const headers = { 'content-type': 'text/html; charset=utf-8' }
          const failed = async (error: unknown) => reply(500, Buffer.from(`<h1>${error}</h1>`), { ...headers, 'cache-control': 'no-store' })
          return parted('<h1>first</h1>', () => harness.restOfPage(), headers, failed)
        },
        getMine: ({ caller }) => ({ id: caller.agentId }),
        listThings: ({ query }) => bareList(['a', 'b', 'c'].slice(query.offset, query.offset + query.limit), 3, query),
        getRow: ({ params }) =>
          (params.id === 'none' ? refuse('NOT_FOUND', { resource: 'thing' }) : outcomes[params.id]?.(harness)) ?? { id: params.id },
      }
    },
    events: () => [
      on(thingMade, async ({ title }) => {
        if (title === 'late' && !harness.received.includes('late')) {
          harness.received.push('late')
          throw new Retry('not yet')
        }
        if (title === 'slow event') await harness.gate
        harness.received.push(title)
      }),
    ],
  }),
  ...more,
})

const outcomes: Record<string, (harness: Harness) => Promise<void> | undefined> = {
  slow: harness => harness.gate,
  refused: () => refuse('NOT_POSTER', { poster: 'somebody else' }, { message: 'Only its poster may' }),
  replayed: () => refuse('REPLAY_DETECTED'),
  full: () => refuse('TVL_CAP_REACHED'),
  poor: () => refuse('FUNDS_REQUIRED', { options: [] }),
  tired: () => refuse('COOLDOWN_ACTIVE', { cooldownEndsAt: 'soon' }, { retryAfter: 7 }),
  moving: () => refuse('INVALID_STATE', { state: 'funding' }, retryableIn({ funding: ['locked'] }, 'funding', ['locked'])),
  broken: () => Promise.reject(new Error('the reason inside')),
  odd: () => refuse('FORBIDDEN', { amount: 5n }),
}

export const internalKey = 'k'.repeat(32)
export const agent = { kind: 'agent', agentId: '0190a5d0-0000-7000-8000-00000000000a', wallet: '0x00000000000000000000000000000000000000Aa' } as const

/** A context as the gateway would sign it. */
export const signed = (fields: Partial<RequestContext> = {}, key = internalKey, requestId = 'request-1'): Record<string, string> => ({
  [contextHeader]: signContext({ mode: 'plain', agent, expires: expiry(), ...fields }, key),
  [requestIdHeader]: requestId,
})
