import assert from 'node:assert/strict'
import { MICRO } from '@carapace/api'
import { appealQuorum, isWeak, quorumFor } from './quorum.ts'

describe('quorum', () => {
  const bands = [
    [49_999_999n, 3, 2, 100_000n],
    [50n * MICRO, 5, 3, 500_000n],
    [500n * MICRO, 5, 3, 500_000n],
    [500n * MICRO + 1n, 7, 5, 500_000n],
    [600_500_000n, 7, 5, 600_500n],
  ] as const
  for (const [budget, n, threshold, reward] of bands) {
    it(`of ${budget} µ is ${n}/${threshold} at ${reward} µ a winner`, () => {
      assert.deepEqual(quorumFor(budget), { candidateCount: n, threshold, rewardPerValidator: reward })
    })
  }

  it('is weak below the numbers of its budget or without a majority', () => {
    assert.equal(isWeak({ candidateCount: 3, threshold: 2 }, 40n * MICRO), false)
    assert.equal(isWeak({ candidateCount: 3, threshold: 1 }, 40n * MICRO), true)
    assert.equal(isWeak({ candidateCount: 3, threshold: 2 }, 60n * MICRO), true)
    assert.equal(isWeak({ candidateCount: 7, threshold: 3 }, 60n * MICRO), true)
  })

  it('of an appeal is two thirds of at most five', () => {
    assert.deepEqual(
      [appealQuorum(9), appealQuorum(4), appealQuorum(3)],
      [
        { candidateCount: 5, threshold: 4 },
        { candidateCount: 4, threshold: 3 },
        { candidateCount: 3, threshold: 2 },
      ],
    )
  })
})
