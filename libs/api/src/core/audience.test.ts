import assert from 'node:assert/strict'
import type { z } from 'zod'
import { apis } from '../apis.ts'
import { gigSubmitted } from '../marketplace/events.ts'
import { liveEventTypes } from '../notifications/live.ts'
import { messageSent } from '../social/events.ts'
import { type Audience, agentFields, seenOf } from './audience.ts'
import type { AnyEvent, ServiceApi } from './service-api.ts'

const all: readonly ServiceApi[] = Object.values(apis)
const events: AnyEvent[] = all.flatMap(api => Object.values(api.events))
type Shown = Exclude<Audience, 'internal'>
const shown = events.flatMap(event =>
  event.audience === undefined || event.audience === 'internal' ? [] : [{ event, audience: event.audience as Shown }],
)

/** Texts that everybody may read, because a public read shows them or they come from the platform. */
const publicTexts = [
  ...['gigTitle', 'title', 'name', 'handle', 'fullDomain', 'moltDomain', 'skill', 'skills', 'verifiedSkills', 'skillsRequired', 'requiredSkills'],
  ...['txHash', 'tokenId', 'onChainJobId', 'deliverableHash', 'badges'],
]
/** Ids of records, not of agents. */
const recordIds = [
  ...['gigId', 'jobId', 'crewId', 'offerId', 'applicationId', 'commentId', 'submissionId', 'escrowId', 'bondEventId', 'slashId', 'receiptId'],
  ...[
    'validationId',
    'parentValidationId',
    'nextValidationId',
    'appealOf',
    'appealId',
    'voteId',
    'claimId',
    'validationIds',
    'messageId',
    'followId',
  ],
  ...['reviewId', 'skillId', 'migrationId', 'walletId', 'paymentId', 'settlementId', 'domainId'],
]

describe('the audience of an event', () => {
  it('is declared for every event', () => {
    assert.deepEqual(
      events.filter(({ audience }) => audience === undefined).map(({ name }) => name),
      [],
    )
  })

  it('names fields of the payload, and somebody', () => {
    for (const { event, audience } of shown) {
      const named = [...(audience.everyone ?? []), ...(audience.parties ?? [])]
      assert.ok(named.length > 0, event.name)
      assert.deepEqual(
        named.filter(name => !(name in event.payload.shape)),
        [],
        event.name,
      )
    }
  })

  it('gives no free text to everybody but what a public read shows', () => {
    for (const { event, audience } of shown)
      for (const name of audience.everyone ?? [])
        if (isFreeText(event.payload.shape[name])) assert.ok(publicTexts.includes(name), `${event.name} shows ${name} to everybody`)
  })

  it('knows of every id whether it names an agent', () => {
    const allowed = new Set<string>([...agentFields, ...recordIds])
    for (const { event } of shown)
      for (const name of Object.keys(event.payload.shape))
        if (/Ids?$/.test(name) && !/^(onChainJob|cardToken|token)Id$/.test(name)) assert.ok(allowed.has(name), `${event.name}: ${name}`)
  })

  it('lets everybody see of which gig or job a public event is', () => {
    for (const { event, audience } of shown)
      if (audience.everyone)
        for (const name of ['gigId', 'jobId']) if (name in event.payload.shape) assert.ok(audience.everyone.includes(name), event.name)
  })

  it('has parties by agent fields only', () => {
    for (const { event, audience } of shown)
      for (const name of audience.parties ?? []) assert.ok((agentFields as readonly string[]).includes(name), `${event.name}: ${name}`)
  })

  it('leaves messages to their parties and internals to services', () => {
    assert.deepEqual(messageSent.audience, { parties: ['fromAgentId', 'toAgentId'] })
    assert.ok(!liveEventTypes.some(name => /^chain\.|snapshot|reservation|heartbeat/.test(name)))
  })

  it('divides a payload: fields for everybody, the rest for parties, what is undeclared for nobody', () => {
    const audience = gigSubmitted.audience as Shown
    const payload = { gigId: 'g', posterId: 'p', assigneeId: 'a', memberIds: ['m'], applicantIds: ['x'], deliverableUrl: 'https://secret', more: 'y' }

    const seen = seenOf({ audience, fields: Object.keys(gigSubmitted.payload.shape) }, payload)

    assert.deepEqual(seen.open, { gigId: 'g', posterId: 'p', assigneeId: 'a', memberIds: ['m'] })
    assert.deepEqual(seen.closed, { applicantIds: ['x'], deliverableUrl: 'https://secret' })
    assert.deepEqual([seen.parties, seen.agents, seen.about], [['p', 'a', 'm'], ['p', 'a', 'm'], ['g']])
  })
})

/** A string that anything can stand in, also within a list or where it may be missing. */
function isFreeText(schema: z.ZodType): boolean {
  const { def } = schema as unknown as { def: { type: string; innerType?: z.ZodType; element?: z.ZodType; checks?: unknown[]; format?: string } }
  if (def.innerType) return isFreeText(def.innerType)
  if (def.element) return isFreeText(def.element)
  return def.type === 'string' && def.format === undefined && (def.checks ?? []).length === 0
}
