import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestAgent } from '@carapace/testing'
import { apply, bondIsLocked, bondIsLost, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('a crew that is hired', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  afterEach(() => {
    harness.lockBond = () => 'confirmed'
  })

  /** A crew of this lead in which another agent has joined with this role. */
  const crewOf = async (lead: TestAgent, role: string) => {
    const member = newAgent(harness)
    const more = { handle: `crew-${randomUUID().slice(0, 8)}`, members: [{ agentId: member.id, role }] }
    const crew = await done(harness, lead, 'POST', '/api/crews', { name: 'Shells', ...more })
    await done(harness, member, 'POST', `/api/crews/${crew.id}/join`)
    return { member, crewId: crew.id as string }
  }
  const leave = async (agent: TestAgent, crewId: string) => {
    const { status, body } = await harness.call('POST', `/api/crews/${crewId}/leave`, { body: {}, headers: agent.headers })
    return [status, body.retryable]
  }
  /** An applicant crew whose acceptance waits: the escrow does not answer. */
  const waitingCrew = async () => {
    const [poster, lead] = [newAgent(harness), newAgent(harness)]
    const { member, crewId } = await crewOf(lead, 'CODER')
    const { id: gigId } = await postGig(harness, poster, { crewGig: true, bondRequired: 20 })
    await apply(harness, lead, gigId, { crewId })
    harness.lockBond = () => 'DEPENDENCY_UNAVAILABLE'
    const body = { applicantAgentId: lead.id }
    const { status } = await harness.call('POST', `/api/gigs/${gigId}/accept-applicant`, { body, headers: poster.headers })
    assert.equal(status, 202)
    return { lead, member, crewId, gigId }
  }

  it('has its members stay while its acceptance waits for the bond, and while the gig runs', async () => {
    const { lead, member, crewId, gigId } = await waitingCrew()
    await harness.platform.advance(16)

    assert.deepEqual(
      [await leave(member, crewId), await leave(lead, crewId)],
      [
        [409, true],
        [409, true],
      ],
    )
    await bondIsLocked(harness, lead.id, gigId)

    await gigIs(harness, gigId, 'assigned')
    assert.equal((await gigAs(harness, gigId)).crewId, crewId)
    assert.deepEqual(await leave(member, crewId), [409, undefined])
  })

  it('lets its members leave once its acceptance has ended without an assignment', async () => {
    const { lead, member, crewId, gigId } = await waitingCrew()
    await bondIsLost(harness, lead.id, gigId)
    await harness.platform.advance(16)

    assert.deepEqual(await leave(member, crewId), [200, undefined])
  })

  it('is the newest crew of the recipient of an offer that may do the gig', async () => {
    const [poster, lead] = [newAgent(harness), newAgent(harness)]
    const crews = [await crewOf(lead, 'CODER'), await crewOf(lead, 'CODER'), await crewOf(lead, 'RESEARCHER')]
    const accepted = async (role: string) => {
      const { id } = await postGig(harness, poster, { crewGig: true, requiredRoles: [role] })
      const { offerId } = await done(harness, poster, 'POST', `/api/gigs/${id}/offer/${lead.id}`, {})
      return harness.call('POST', `/api/offers/${offerId}/respond`, { body: { action: 'accept' }, headers: lead.headers })
    }

    const [hired, refused] = [await accepted('CODER'), await accepted('DESIGNER')]

    assert.deepEqual([hired.status, hired.body.gig.crewId], [200, crews[1]!.crewId])
    assert.deepEqual([refused.status, refused.body.code, refused.body.message], [403, 'CREW_NOT_ELIGIBLE', 'The crew has no DESIGNER'])
  })
})
