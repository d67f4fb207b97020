import assert from 'node:assert/strict'
import { historyChart } from './history-chart.ts'

const now = new Date('2026-11-05T10:00:00.000Z')
const point = (score: number, day: number) => ({ score, at: `2026-11-0${day}T10:00:00.000Z` })

describe('the history of a score', () => {
  it('has a line of its own for each network that knows the score, and says so in words', () => {
    const chart = historyChart(
      [
        { name: 'FusedScore', style: 'own', points: [point(18, 3), point(15, 1)] },
        { name: 'Base Sepolia', style: 'first', points: [point(15, 2)] },
        { name: 'SKALE Base Sepolia', style: 'second', points: [] },
      ],
      now,
    )!.toString()

    assert.match(chart, /aria-label="FusedScore from 15\.0 to 18\.0 in 2 steps; Base Sepolia from 15\.0 to 15\.0 in 1 step"/)
    assert.deepEqual(
      [...chart.matchAll(/class="line (\w+)"/g)].map(match => match[1]),
      ['own', 'first'],
    )
    assert.match(chart, /<li class="first"><span>Base Sepolia<\/span>/)
  })

  it('shows as much of the scale as the scores need, at its ends too', () => {
    const ticksOf = (...scores: number[]) =>
      [
        ...historyChart([{ name: 'FusedScore', style: 'own', points: scores.map((score, i) => point(score, i + 1)) }], now)!
          .toString()
          .matchAll(/end">(\d+)<\/text>/g),
      ].map(match => Number(match[1]))

    assert.deepEqual(ticksOf(15, 18), [10, 15, 20, 25, 30])
    assert.deepEqual(ticksOf(0), [0, 5, 10, 15, 20])
    assert.deepEqual(ticksOf(100), [80, 85, 90, 95, 100])
  })

  it('is none without a point', () => {
    assert.equal(historyChart([{ name: 'FusedScore', style: 'own', points: [] }], now), undefined)
  })
})
