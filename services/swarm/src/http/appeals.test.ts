import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { swarmApi } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { type Case, crewOf, openCase, read, seated, validationsOf, votes } from '../testing/cases.ts'
import { type Harness, oracle, startHarness, stranger } from '../testing/harness.ts'

const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('an appeal over HTTP', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(9)
  })
  after(() => harness.close())

  const statement = { statement: 'the report is complete', deliverableUrl: 'https://example.org/r2' }
  const appeal = (caller: TestAgent, id: string, body: object = statement, headers: object = {}) =>
    harness.call('POST', `/api/validations/${id}/appeal`, { body, headers: { ...caller.headers, ...headers } })
  const frozenCase = async (): Promise<Case> => {
    const found = await openCase(harness)
    await crewOf(harness, found.panel.slice(0, 2))
    await until('the overlap freezes', async () => {
      const fresh = await read(harness, found.validationId)
      return fresh.status === 'pending'
    })
    await votes(harness, found, 2, 'reject')
    return found
  }

  it('of a frozen rejection is judged once, by a fresh panel, and its outcome ends it', async () => {
    const found = await frozenCase()
    const first = await read(harness, found.validationId)
    assert.deepEqual([first.status, first.bondSlashFrozen], ['rejected', true])
    assert.match(first.disputeReason, /^Crew overlap detected: 1 shared crew/)

    assert.deepEqual(statusAndCode(await appeal(found.poster, found.validationId)), [403, 'NOT_ASSIGNEE'])
    const bad = await appeal(found.assignee, found.validationId, { ...statement, deliverableUrl: 'nowhere' })
    assert.deepEqual([bad.status, bad.body.errors[0].path], [400, 'deliverableUrl'])
    const answers = await Promise.all([appeal(found.assignee, found.validationId), appeal(found.assignee, found.validationId)])
    assert.deepEqual(answers.map(statusAndCode).sort(), [
      [201, undefined],
      [409, 'ALREADY_EXISTS'],
    ])
    const { id } = answers.find(answer => answer.status === 201)!.body.appeal
    const fresh = await read(harness, id)
    assert.deepEqual([fresh.parentValidationId, (await read(harness, found.validationId)).appealId], [found.validationId, id])
    assert.ok(seated(fresh).every(agent => !found.panel.includes(agent)))
    assert.equal((await validationsOf(harness, found.gigId)).length, 2)

    await votes(harness, { validationId: id, panel: seated(fresh) }, fresh.threshold, 'approve')
    assert.equal((await read(harness, id)).status, 'approved')
    assert.deepEqual(statusAndCode(await appeal(found.assignee, id)), [409, 'INVALID_STATE'])
  })

  it('is read by its parties, by the panel that judges it and by the oracle, and by nobody else', async () => {
    const found = await frozenCase()
    const { id } = (await appeal(found.assignee, found.validationId)).body.appeal
    const judge = seated(await read(harness, id))[0]!
    const appealIn = async (validationId: string, headers: Record<string, string> = {}) =>
      (await harness.call('GET', `/api/swarm/validations/${validationId}`, { headers })).body.appeal
    const as = (agentId: string) => ({ 'x-agent-id': agentId })

    for (const headers of [as(found.assignee.id), as(found.poster.id), as(judge), oracle]) {
      const { filedAt, ...words } = await appealIn(id, headers)
      assert.deepEqual(words, statement)
      assert.ok(Number.isFinite(Date.parse(filedAt)))
    }
    assert.deepEqual(
      [
        await appealIn(id),
        await appealIn(id, as(found.panel[0]!)),
        await appealIn(found.validationId, as(judge)),
        (await validationsOf(harness, found.gigId))[0].appeal,
      ],
      [null, null, null, null],
    )
    assert.equal((await appealIn(found.validationId, oracle)).statement, statement.statement)
  })

  it('replays with its idempotency key, also when the first answer was never stored', async () => {
    const found = await frozenCase()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await appeal(found.assignee, found.validationId, statement, headers)
    await harness.platform.forgetAnswers('swarm')

    const retried = await appeal(found.assignee, found.validationId, statement, headers)

    assert.deepEqual([retried.status, retried.body.appeal.id], [201, first.body.appeal.id])
  })

  it('is in the row of the verdict that it is against', async () => {
    const found = await frozenCase()
    const { peers } = harness.platform.service('swarm').platform
    const row = () => peers.call('swarm', swarmApi.internal.getValidationRow, { params: { id: found.validationId } })
    assert.ok(!('appealId' in (await row())))

    const { id, expiresAt } = (await appeal(found.assignee, found.validationId)).body.appeal

    const { appealId, appealExpiresAt } = await row()
    assert.deepEqual([appealId, appealExpiresAt], [id, expiresAt])
  })

  it('is refused when its window ends while its panel is drawn', async () => {
    const found = await frozenCase()
    const gig = harness.gigs.get(found.gigId)!
    const slow = async () => {
      await harness.platform.advance(48 * 3600 + 1)
      return gig
    }
    const { get } = harness.gigs
    harness.gigs.get = slow as never
    const late = await appeal(found.assignee, found.validationId)
    harness.gigs.get = get

    assert.deepEqual(statusAndCode(late), [409, 'WINDOW_CLOSED'])
    assert.equal((await read(harness, found.validationId)).appealId, null)
  })

  it('needs a frozen rejection, within 48 hours', async () => {
    const plain = await openCase(harness)
    await votes(harness, plain, 2, 'reject')
    const frozen = await frozenCase()

    assert.deepEqual(statusAndCode(await appeal(plain.assignee, plain.validationId)), [409, 'INVALID_STATE'])
    assert.deepEqual(statusAndCode(await appeal(plain.assignee, stranger)), [404, 'NOT_FOUND'])
    await harness.platform.advance(48 * 3600 + 1)
    assert.deepEqual(statusAndCode(await appeal(frozen.assignee, frozen.validationId)), [409, 'WINDOW_CLOSED'])
  })
})
