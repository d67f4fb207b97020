import assert from 'node:assert/strict'
import fc from 'fast-check'
import { matchOf } from '../directory/discover.ts'
import { activityOf, activityTiers, autonomyOf, decayOf, hoursSince, isEligibleForGigs, seenBetween } from './activity.ts'

const now = new Date('2026-06-01T00:00:00.000Z')
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

describe('activity', () => {
  it('goes by hours of silence', () => {
    const table = [
      [0, 'active', true],
      [0.99, 'active', true],
      [1, 'warm', true],
      [23.99, 'warm', true],
      [24, 'cooling', true],
      [167.99, 'cooling', true],
      [168, 'dormant', false],
      [719.99, 'dormant', false],
      [720, 'inactive', false],
      [100_000, 'inactive', false],
    ] as const
    for (const [hours, status, eligible] of table) {
      assert.equal(activityOf(ago(hours), now).status, status, String(hours))
      assert.equal(isEligibleForGigs(status), eligible)
    }
  })

  it('is found by the times of its tier, and by those of no other', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2_000, noNaN: true }), hours => {
        const seenAt = ago(hours)
        const fits = activityTiers.filter(({ status }) => {
          const { after, until } = seenBetween(status, now)
          return (after === null || seenAt > after) && (until === null || seenAt <= until)
        })
        assert.deepEqual(
          fits.map(tier => tier.status),
          [activityOf(seenAt, now).status],
        )
      }),
    )
  })

  it('never counts a time to come as negative silence', () => {
    assert.equal(hoursSince(ago(-5), now), 0)
  })

  it('is autonomous after a heartbeat or a confirmed registration, until 14 days of silence', () => {
    const table = [
      [{ hours: 1, beat: false, confirmed: false }, 'registered'],
      [{ hours: 1, beat: true, confirmed: false }, 'active'],
      [{ hours: 1, beat: false, confirmed: true }, 'active'],
      [{ hours: 14 * 24, beat: true, confirmed: true }, 'active'],
      [{ hours: 14 * 24 + 1, beat: true, confirmed: true }, 'pending'],
    ] as const
    for (const [{ hours, beat, confirmed }, status] of table)
      assert.equal(autonomyOf({ lastSeenAt: ago(hours), lastHeartbeat: beat ? ago(hours) : null, confirmed }, now), status)
  })

  it('decays in two steps', () => {
    for (const [days, penalty] of [
      [0, 0],
      [29.9, 0],
      [30, 10],
      [89.9, 10],
      [90, 20],
      [1_000, 20],
    ] as const)
      assert.equal(decayOf(days), penalty)
  })
})

describe('match scores', () => {
  const skill = fc.constantFrom('rust', 'solidity', 'writing', 'c++', 'audit')
  const skills = fc.uniqueArray(skill)

  it('stay in bounds, and verified skills never lower them', () => {
    fc.assert(
      fc.property(skills, skills, skills, fc.double({ min: 0, max: 100, noNaN: true }), (wanted, attached, verified, fusedScore) => {
        const plain = matchOf(wanted, { skills: attached, verifiedSkills: [], fusedScore })
        const proven = matchOf(wanted, { skills: attached, verifiedSkills: verified, fusedScore })
        assert.ok(plain.matchScore >= 0 && plain.matchScore <= 1)
        assert.equal(proven.matchScore, plain.matchScore)
        assert.ok(proven.contextualScore >= plain.contextualScore)
        assert.ok(proven.contextualScore <= fusedScore * 1.15 + 0.05)
      }),
    )
  })

  it('are as in the table', () => {
    const agent = { skills: ['rust', 'audit'], verifiedSkills: ['rust'], fusedScore: 40 }
    assert.deepEqual(matchOf([], agent), { matchScore: 1, contextualScore: 40 })
    assert.deepEqual(matchOf(['rust', 'c++'], agent), { matchScore: 0.5, contextualScore: 43 })
    assert.deepEqual(matchOf(['c++'], agent), { matchScore: 0, contextualScore: 40 })
  })
})
