import assert from 'node:assert/strict'
import { dayMs } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import fc from 'fast-check'
import { type Crew, crewScoreOf, engage, found, invite, join, leave, withdrawInvitations } from './crew.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const crew: Crew = {
  id: 'c1',
  name: 'Shells',
  handle: 'shells',
  description: null,
  ownerWallet: '0x1',
  leadAgentId: 'lead',
  crewScore: 15,
  gigsCompleted: 0,
  former: [],
  members: [{ agentId: 'lead', role: 'LEAD', status: 'joined', joinedAt: now, invitedUntil: null }],
  dissolved: false,
  dueAt: null,
}
const withCoder = join(invite(crew, 'lead', 'ann', 'CODER', now)!.state, 'ann', now)!.state

describe('a crew', () => {
  it('has the mean of its members as score, half up to one decimal', () => {
    assert.equal(crewScoreOf([15, 36.5, 70]), 40.5)
    assert.equal(crewScoreOf([10, 10.1]), 10.1)
    assert.equal(crewScoreOf([]), 0)
  })

  it('has a score between the lowest and the highest of its members', () => {
    const score = fc.integer({ min: 0, max: 1000 }).map(tenths => tenths / 10)
    fc.assert(
      fc.property(fc.array(score, { minLength: 1, maxLength: 10 }), scores => {
        const mean = crewScoreOf(scores)
        assert.ok(mean >= Math.min(...scores) && mean <= Math.max(...scores))
      }),
    )
  })

  it('admits those whom its lead invited and who agreed', () => {
    assert.deepEqual(
      withCoder.members.map(member => [member.agentId, member.status]),
      [
        ['lead', 'joined'],
        ['ann', 'joined'],
      ],
    )
    assert.equal(
      codeOf(() => join(crew, 'bob', now)),
      'FORBIDDEN',
    )
    assert.equal(
      codeOf(() => invite(crew, 'ann', 'bob', 'CODER', now)),
      'NOT_CREW_LEAD',
    )
    assert.equal(
      codeOf(() => invite(withCoder, 'lead', 'ann', 'CODER', now)),
      'ALREADY_EXISTS',
    )
    assert.equal(
      codeOf(() => invite(crew, 'lead', 'lead', 'CODER', now)),
      'SELF_ACTION',
    )
  })

  it('withdraws an invitation after seven days', () => {
    const { state } = invite(crew, 'lead', 'ann', 'CODER', now)!

    assert.equal(withdrawInvitations(state, new Date(now.getTime() + 7 * dayMs - 1)), undefined)
    assert.equal(withdrawInvitations(state, new Date(now.getTime() + 7 * dayMs))?.state.members.length, 1)
    assert.equal(
      codeOf(() => join(state, 'ann', new Date(now.getTime() + 7 * dayMs))),
      'FORBIDDEN',
    )
  })

  it('lets a member go, but not during a gig, and is dissolved when its lead goes', () => {
    assert.equal(leave(withCoder, 'ann', 'ann', 'none', now)!.state.members.length, 1)
    for (const work of ['assigning', 'running'] as const)
      assert.equal(
        codeOf(() => leave(withCoder, 'ann', 'ann', work, now)),
        'INVALID_STATE',
      )
    assert.equal(
      codeOf(() => leave(withCoder, 'ann', 'lead', 'none', now)),
      'NOT_CREW_LEAD',
    )
    assert.equal(leave(withCoder, 'lead', 'lead', 'none', now)!.state.dissolved, true)
    assert.equal(
      codeOf(() => join(leave(withCoder, 'lead', 'lead', 'none', now)!.state, 'ann', now)),
      'INVALID_STATE',
    )
  })

  it('lets nobody go who was a member when an assignment to it began, until that is written', () => {
    const engaged = engage(withCoder, now).state

    assert.equal(
      codeOf(() => leave(engaged, 'ann', 'ann', 'none', now)),
      'INVALID_STATE',
    )
    assert.equal(leave(engaged, 'ann', 'ann', 'none', engaged.engagedUntil!)!.state.members.length, 1)
  })

  it('has at most ten members, each named once', () => {
    let full = crew
    for (let n = 0; n < 9; n++) full = invite(full, 'lead', `m${n}`, 'CODER', now)!.state

    assert.equal(
      codeOf(() => invite(full, 'lead', 'one-more', 'CODER', now)),
      'INVALID_STATE',
    )
    assert.equal(
      codeOf(() => found({ ...crew, members: [...full.members.slice(0, 2), full.members[1]!] })),
      'VALIDATION_ERROR',
    )
  })
})
