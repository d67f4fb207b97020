import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { commandConfirmed, hourSeconds, type TestAgent, until } from '@carapace/testing'
import { crewOf, decided, deliveredGig, openCase, ordered, read, seated, submitted, validationsOf, vote, votes } from '../testing/cases.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('a validation whose gig is decided otherwise', () => {
  let harness: Harness & { validators: TestAgent[] }
  const events: { type: string; data: Record<string, unknown> }[] = []
  before(async () => {
    harness = await startHarness(9)
    const bindings = [api.validationSuperseded, api.validationResolved, api.rewardAccrued, api.panelChanged].map(({ type }) => type)
    await harness.platform.bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'events', bindings }, async ({ type, data }) => {
      events.push({ type, data: data as Record<string, unknown> })
    })
  })
  after(() => harness.close())

  const about = (validationId: string) => events.filter(({ data }) => data.validationId === validationId)
  const only = (validationId: string, { type }: { type: string }) => about(validationId).filter(event => event.type === type)
  const accrued = async (agentId: string) => (await harness.call('GET', `/api/swarm/claimable-rewards/${agentId}`)).body.totalAccrued
  const superseded = (validationId: string) =>
    until('it is superseded', async () => {
      const found = await read(harness, validationId)
      return found.status === 'superseded' && found
    })

  it('ends as superseded: it accepts no vote, waits for none, and counts in lists and figures', async () => {
    const found = await openCase(harness)
    const { validationId, panel, gigId } = found
    await vote(harness, validationId, panel[0]!, 'reject')
    const before = (await harness.call('GET', '/api/swarm/statistics')).body
    await harness.platform.publish(ordered(found, 'release'))

    const { consensusReached, approved, resolvedAt, voteCount } = await superseded(validationId)

    assert.deepEqual([consensusReached, approved, typeof resolvedAt, voteCount], [false, false, 'string', 1])
    assert.deepEqual(statusAndCode(await vote(harness, validationId, panel[1]!, 'reject')), [409, 'VALIDATION_RESOLVED'])
    assert.equal((await harness.call('GET', `/api/agents/${panel[1]}/swarm/pending-votes`)).body.total, 0)
    assert.equal((await harness.call('GET', `/api/swarm/validations?gigId=${gigId}&status=superseded`)).body.total, 1)
    const { superseded: count, pending, totalValidations } = (await harness.call('GET', '/api/swarm/statistics')).body
    assert.deepEqual([count, pending, totalValidations], [before.superseded + 1, before.pending - 1, before.totalValidations])
    const { data } = only(validationId, api.validationSuperseded)[0]!
    assert.deepEqual([data.outcome, data.winners, (data.panel as string[]).length], ['release', [], 3])
  })

  const cases = [
    ['release', 'approve', 0.1],
    ['refund', 'reject', 0.1],
    ['release', 'reject', 0],
    ['refund', 'approve', 0],
    ['unfunded', 'approve', 0],
  ] as const
  for (const [outcome, choice, reward] of cases) {
    it(`gives a vote to ${choice} ${reward} USDC after ${outcome}, once`, async () => {
      const found = await openCase(harness)
      const voter = found.panel[0]!
      await vote(harness, found.validationId, voter, choice)
      const before = await accrued(voter)

      await harness.platform.publish(ordered(found, outcome))
      await harness.platform.publish(ordered(found, outcome), 2)
      await superseded(found.validationId)

      assert.equal(Math.round(((await accrued(voter)) - before) * 10) / 10, reward)
      assert.equal(only(found.validationId, api.rewardAccrued).length, reward > 0 ? 1 : 0)
      assert.equal(only(found.validationId, api.validationSuperseded).length, 1)
    })
  }

  const crossing = [
    ['release', 'approve', 0.1],
    ['refund', 'reject', 0.1],
    ['release', 'reject', 0],
    ['refund', 'approve', 0],
    ['unfunded', 'reject', 0],
  ] as const
  for (const [outcome, choice, reward] of crossing) {
    it(`pays ${reward} USDC for a verdict to ${choice} that crosses an order of ${outcome}, once`, async () => {
      const found = await openCase(harness)
      const [voter] = found.panel as [string]
      await votes(harness, found, 2, choice)
      const before = await accrued(voter)

      await harness.platform.publish(ordered(found, outcome))
      await harness.platform.publish(ordered(found, outcome), 2)
      // what is published later has been followed later
      const other = await openCase(harness)
      await harness.platform.publish(ordered(other, outcome))
      await superseded(other.validationId)

      assert.equal(Math.round(((await accrued(voter)) - before) * 10) / 10, reward)
      assert.equal(only(found.validationId, api.rewardAccrued).length, reward > 0 ? 1 : 0)
    })
  }

  it('pays for the verdict of an appeal that crosses an order, and for the verdict that the order names', async () => {
    const found = await openCase(harness)
    await crewOf(harness, found.panel.slice(0, 2))
    await votes(harness, found, 2, 'reject')
    const body = { statement: 'complete', deliverableUrl: 'https://example.org/r2' }
    const { id } = (await harness.call('POST', `/api/validations/${found.validationId}/appeal`, { body, headers: found.assignee.headers })).body
      .appeal
    const fresh = await read(harness, id)
    await votes(harness, { validationId: id, panel: seated(fresh) }, fresh.threshold, 'approve')
    assert.equal((await read(harness, id)).status, 'approved')

    const { validationId } = found
    await harness.platform.publish(decided(found, { outcome: 'release', reason: 'dispute', by: 'oracle', verdict: 'rejected', validationId }))

    const winners = await until('its rewards accrue', () => only(id, api.rewardAccrued)[0]?.data.rewards as unknown[])
    assert.equal(winners.length, fresh.threshold)
  })

  it('is not changed by a late outcome of a vote, nor by time: nobody is replaced and no second panel opens', async () => {
    harness.chain = () => 'wait'
    const found = await openCase(harness)
    await vote(harness, found.validationId, found.panel[0]!, 'reject', { prefer: 'respond-async' })
    const command = await until('the vote is sent', () => harness.commands.find(({ opKey }) => opKey.startsWith(`swarm.vote:${found.validationId}`)))
    harness.chain = () => 'confirm'
    await harness.platform.publish(ordered(found, 'release'))
    await superseded(found.validationId)

    await harness.platform.publish(commandConfirmed(command))
    const other = await openCase(harness)
    await harness.platform.advance(73 * hourSeconds)

    await until('the window of another one is over', async () => (await read(harness, other.validationId)).status === 'expired')
    const after = await read(harness, found.validationId)
    assert.deepEqual([after.status, after.voteCount, after.onChain.status], ['superseded', 1, 'confirmed'])
    assert.deepEqual(
      about(found.validationId).map(({ type }) => type),
      [api.validationSuperseded.type],
    )
    assert.equal((await validationsOf(harness, found.gigId)).length, 1)
  })

  it('goes on while the decision is only to hold', async () => {
    const found = await openCase(harness)
    await harness.platform.publish(decided(found, { outcome: 'hold', reason: 'dispute', by: 'party', verdict: null }))
    await votes(harness, found, 2, 'approve')

    assert.equal((await read(harness, found.validationId)).status, 'approved')
  })

  it('is superseded as an appeal too, and nobody appeals after the decision', async () => {
    const appeal = { statement: 'complete', deliverableUrl: 'https://example.org/r2' }
    const frozen = async () => {
      const found = await openCase(harness)
      await crewOf(harness, found.panel.slice(0, 2))
      await votes(harness, found, 2, 'reject')
      const file = () => harness.call('POST', `/api/validations/${found.validationId}/appeal`, { body: appeal, headers: found.assignee.headers })
      return { found, file }
    }
    const [appealed, late] = [await frozen(), await frozen()]
    const { id } = (await appealed.file()).body.appeal
    for (const { found } of [appealed, late]) await harness.platform.publish(ordered(found, 'release'))

    assert.equal(seated(await superseded(id)).length, 5)
    assert.equal((await read(harness, appealed.found.validationId)).status, 'rejected')
    assert.deepEqual(statusAndCode(await late.file()), [409, 'INVALID_STATE'])
  })

  it('is never opened when the decision comes before the submission', async () => {
    const [poster, assignee] = [await newAgent(harness), await newAgent(harness)]
    const gig = deliveredGig(harness, poster, assignee)
    const { gigId } = gig
    await harness.platform.publish(ordered({ gigId, poster, assignee, validationId: '', panel: [] }, 'refund'))
    await harness.platform.publish(submitted(gig))

    assert.deepEqual(await validationsOf(harness, gigId), [])
    const answer = await harness.call('POST', '/api/swarm/validate', { body: { gigId }, headers: poster.headers })
    assert.deepEqual([...statusAndCode(answer), answer.body.details.state], [409, 'INVALID_STATE', 'decided'])
  })

  it('is found by its cancelled gig, or by the next sweep, when the decision itself was never received', async () => {
    const [cancelled, old, open] = [await openCase(harness), await openCase(harness), await openCase(harness)]
    harness.escrows.set(cancelled.gigId, 'refunding').set(old.gigId, 'released').set(open.gigId, 'disputed')
    const { posterId, gigTitle, budget, chain } = harness.gigs.get(cancelled.gigId)!
    await harness.platform.publish(
      api.gigCancelled.of({
        ...{
          gigId: cancelled.gigId,
          gigTitle,
          posterId,
          budget: BigInt(budget),
          chain,
          assigneeId: cancelled.assignee.id,
          crewId: null,
          memberIds: [],
        },
        ...{ reason: 'refunded', from: 'pending_validation', cancelledAt: new Date().toISOString() },
      }),
    )
    await superseded(cancelled.validationId)
    assert.equal((await read(harness, old.validationId)).status, 'pending')

    await harness.platform.advance(2 * hourSeconds)

    await superseded(old.validationId)
    assert.equal((await read(harness, open.validationId)).status, 'pending')
  })
})
