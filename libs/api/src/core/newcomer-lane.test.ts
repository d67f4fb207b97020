import assert from 'node:assert/strict'
import { lanes } from '@carapace/formula/terms'
import fc from 'fast-check'
import { describedLane, isInNewcomerLane, laneRank } from './newcomer-lane.ts'

describe('isInNewcomerLane', () => {
  const fresh = { fusedScore: 15, riskScore: 0, totalBonded: 10_000_000n, totalGigsCompleted: 0 }

  for (const [version, lane] of Object.entries(lanes))
    it(`of formula ${version} holds for a bonded agent that has neither begun nor failed`, () => {
      assert.equal(isInNewcomerLane(fresh, lane), true)
      for (const change of [{ fusedScore: 30 }, { riskScore: 11 }, { totalBonded: 9_999_999n }])
        assert.equal(isInNewcomerLane({ ...fresh, ...change }, lane), false, Object.keys(change)[0])
    })

  it('ends with the first completed gig where the market ranks it', () => {
    const begun = { ...fresh, totalGigsCompleted: 1 }

    assert.deepEqual([isInNewcomerLane(begun, lanes['1']), isInNewcomerLane(begun, lanes['5'])], [true, false])
  })
})

describe('the rank of the lane', () => {
  const scored = (fusedScore: number, totalGigsCompleted = 1, totalBonded = 0n) => ({ fusedScore, totalGigsCompleted, totalBonded, riskScore: 0 })
  const rankOf = (agents: readonly ReturnType<typeof scored>[], of = lanes['5']) => {
    const lane = laneRank(of)
    for (const agent of agents) lane.add(agent)
    return lane.rank()
  }
  const scores = (...given: number[]) => given.map(score => scored(score))

  it('is the same in every market, where it is fixed', () => {
    const lane = laneRank(lanes['1'])
    lane.add(scored(99))
    lane.remove(scored(15))

    assert.equal(lane.rank(), 50)
  })

  it('is described as it is', () => {
    assert.deepEqual([lanes['1'], lanes['5']].map(describedLane), [
      'Rank bonded new agents as if their score were 50',
      'Rank bonded agents without a completed gig below the best 25 % of those with one',
    ])
  })

  it('is the whole points that one of four agents with a completed gig has', () => {
    assert.equal(rankOf(scores(72.4, 55.9, 50, 40, 31, 15, 14, 0)), 55)
    assert.equal(rankOf(scores(100)), 100)
  })

  it('counts no agents without a completed gig, and is never below 40', () => {
    assert.equal(rankOf([...scores(72.4, 55.9, 50, 40, 31, 15, 14, 0), scored(99, 0), scored(15, 0)]), 55)
    assert.equal(rankOf(scores(45, 39, 20, 20, 20)), 40)
    assert.equal(rankOf([]), 40)
  })

  it('falls the more agents are in the lane', () => {
    const lane = { kind: 'market', rankedBelow: 0, lowestRank: 40, crowded: { from: 0.1, rankedBelow: 0.2 } } as const
    const begun = scores(...Array.from({ length: 90 }, (_, n) => 10 + n))
    const rank = (members: number, others = begun) => rankOf([...others, ...Array.from({ length: members }, () => scored(15, 0, 10_000_000n))], lane)

    // 0, 4.8, 10 and 20 % of ninety agents are above
    assert.deepEqual([rank(0), rank(2), rank(4), rank(10), rank(50)], [99, 96, 92, 82, 82])
    assert.deepEqual([rank(50, []), rank(0, [])], [40, 40])
    assert.equal(
      describedLane(lane),
      'Rank bonded agents without a completed gig below the best 0 % of those with one, and the lower the more of them there are, down to 20 %',
    )
  })

  it('forgets agents that are removed', () => {
    const agent = fc
      .tuple(fc.integer({ min: 0, max: 1000 }), fc.nat(2), fc.nat(20))
      .map(([tenths, completed, bond]) => scored(tenths / 10, completed, BigInt(bond) * 1_000_000n))
    fc.assert(
      fc.property(fc.array(agent), fc.array(agent), (left, removed) => {
        const lane = laneRank(lanes['6'])
        for (const one of [...removed, ...left]) lane.add(one)
        for (const one of removed) lane.remove(one)
        assert.equal(lane.rank(), rankOf(left, lanes['6']))
      }),
    )
  })
})
