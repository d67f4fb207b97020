import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { commandConfirmed, type TestAgent, until } from '@carapace/testing'
import { crewOf, decided, deliveredGig, openCase, ordered, read, seated, submitted, validationsOf, vote, votes } from '../testing/cases.ts'
import { newAgent, startWorld, type World } from '../testing/world.ts'

const hour = 3600
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('a validation whose gig is decided otherwise', () => {
  let world: World & { validators: TestAgent[] }
  const events: { type: string; data: Record<string, unknown> }[] = []
  before(async () => {
    world = await startWorld(9)
    const bindings = [api.validationSuperseded, api.validationResolved, api.rewardAccrued, api.panelChanged].map(({ type }) => type)
    await world.platform.bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'events', bindings }, async ({ type, data }) => {
      events.push({ type, data: data as Record<string, unknown> })
    })
  })
  after(() => world.close())

  const about = (validationId: string) => events.filter(({ data }) => data.validationId === validationId)
  const only = (validationId: string, { type }: { type: string }) => about(validationId).filter(event => event.type === type)
  const accrued = async (agentId: string) => (await world.call('GET', `/api/swarm/claimable-rewards/${agentId}`)).body.totalAccrued
  const superseded = (validationId: string) =>
    until('it is superseded', async () => {
      const found = await read(world, validationId)
      return found.status === 'superseded' && found
    })

  it('ends as superseded: it takes no vote, owes none, and counts in lists and figures', async () => {
    const found = await openCase(world)
    const { validationId, panel, gigId } = found
    await vote(world, validationId, panel[0]!, 'reject')
    const before = (await world.call('GET', '/api/swarm/statistics')).body
    await world.platform.publish(ordered(found, 'release'))

    const { consensusReached, approved, resolvedAt, voteCount } = await superseded(validationId)

    assert.deepEqual([consensusReached, approved, typeof resolvedAt, voteCount], [false, false, 'string', 1])
    assert.deepEqual(statusAndCode(await vote(world, validationId, panel[1]!, 'reject')), [409, 'VALIDATION_RESOLVED'])
    assert.equal((await world.call('GET', `/api/agents/${panel[1]}/swarm/pending-votes`)).body.total, 0)
    assert.equal((await world.call('GET', `/api/swarm/validations?gigId=${gigId}&status=superseded`)).body.total, 1)
    const { superseded: count, pending, totalValidations } = (await world.call('GET', '/api/swarm/statistics')).body
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
      const found = await openCase(world)
      const voter = found.panel[0]!
      await vote(world, found.validationId, voter, choice)
      const before = await accrued(voter)

      await world.platform.publish(ordered(found, outcome))
      await world.platform.publish(ordered(found, outcome), 2)
      await superseded(found.validationId)

      assert.equal(Math.round(((await accrued(voter)) - before) * 10) / 10, reward)
      assert.equal(only(found.validationId, api.rewardAccrued).length, reward > 0 ? 1 : 0)
      assert.equal(only(found.validationId, api.validationSuperseded).length, 1)
    })
  }

  it('is not changed by a late outcome of a vote, nor by time: nobody is replaced and no second panel opens', async () => {
    world.chain = () => 'wait'
    const found = await openCase(world)
    await vote(world, found.validationId, found.panel[0]!, 'reject', { prefer: 'respond-async' })
    const command = await until('the vote is sent', () => world.commands.find(({ opKey }) => opKey.startsWith(`swarm.vote:${found.validationId}`)))
    world.chain = () => 'confirm'
    await world.platform.publish(ordered(found, 'release'))
    await superseded(found.validationId)

    await world.platform.publish(commandConfirmed(command))
    const other = await openCase(world)
    await world.platform.advance(73 * hour)

    await until('the window of another one is over', async () => (await read(world, other.validationId)).status === 'expired')
    const after = await read(world, found.validationId)
    assert.deepEqual([after.status, after.voteCount, after.onChain.status], ['superseded', 1, 'confirmed'])
    assert.deepEqual(
      about(found.validationId).map(({ type }) => type),
      [api.validationSuperseded.type],
    )
    assert.equal((await validationsOf(world, found.gigId)).length, 1)
  })

  it('goes on while the decision is only to hold', async () => {
    const found = await openCase(world)
    await world.platform.publish(decided(found, { outcome: 'hold', reason: 'dispute', by: 'party', verdict: null }))
    await votes(world, found, 2, 'approve')

    assert.equal((await read(world, found.validationId)).status, 'approved')
  })

  it('is superseded as an appeal too, and nobody appeals after the decision', async () => {
    const appeal = { statement: 'complete', deliverableUrl: 'https://example.org/r2' }
    const frozen = async () => {
      const found = await openCase(world)
      await crewOf(world, found.panel.slice(0, 2))
      await votes(world, found, 2, 'reject')
      const file = () => world.call('POST', `/api/validations/${found.validationId}/appeal`, { body: appeal, headers: found.assignee.headers })
      return { found, file }
    }
    const [appealed, late] = [await frozen(), await frozen()]
    const { id } = (await appealed.file()).body.appeal
    for (const { found } of [appealed, late]) await world.platform.publish(ordered(found, 'release'))

    assert.equal(seated(await superseded(id)).length, 5)
    assert.equal((await read(world, appealed.found.validationId)).status, 'rejected')
    assert.deepEqual(statusAndCode(await late.file()), [409, 'INVALID_STATE'])
  })

  it('is never opened when the decision comes before the submission', async () => {
    const [poster, assignee] = [await newAgent(world), await newAgent(world)]
    const gig = deliveredGig(world, poster, assignee)
    const { gigId } = gig
    await world.platform.publish(ordered({ gigId, poster, assignee, validationId: '', panel: [] }, 'refund'))
    await world.platform.publish(submitted(gig))

    assert.deepEqual(await validationsOf(world, gigId), [])
    const answer = await world.call('POST', '/api/swarm/validate', { body: { gigId }, headers: poster.headers })
    assert.deepEqual([...statusAndCode(answer), answer.body.details.state], [409, 'INVALID_STATE', 'decided'])
  })

  it('is found by its cancelled gig, or by the next sweep, when the decision itself was never received', async () => {
    const [cancelled, old, open] = [await openCase(world), await openCase(world), await openCase(world)]
    world.escrows.set(cancelled.gigId, 'refunding').set(old.gigId, 'released').set(open.gigId, 'disputed')
    const { posterId, gigTitle, budget, chain } = world.gigs.get(cancelled.gigId)!
    await world.platform.publish(
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
    assert.equal((await read(world, old.validationId)).status, 'pending')

    await world.platform.advance(2 * hour)

    await superseded(old.validationId)
    assert.equal((await read(world, open.validationId)).status, 'pending')
  })
})
