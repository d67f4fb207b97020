import assert from 'node:assert/strict'
import { nextPollAt, nextRetryAt } from './next-poll.ts'

describe('nextPollAt', () => {
  const since = new Date('2026-01-01T00:00:00.000Z')
  const after = (seconds: number) => new Date(since.getTime() + seconds * 1_000)
  const secondsOf = (now: number) => (nextPollAt(since, after(now)).getTime() - since.getTime()) / 1_000

  it('is 30 s after the start, then each pause is twice the one before, 5 minutes at most', () => {
    const polls: number[] = []
    for (let now = 0; polls.length < 7; now = polls.at(-1)!) polls.push(secondsOf(now))
    assert.deepEqual(polls, [30, 90, 210, 450, 750, 1_050, 1_350])
  })

  it('is ahead of now and at most 5 minutes away, however long ago the start was', () => {
    for (const now of [0, 29, 30, 31, 749, 750, 86_400, 180 * 86_400]) {
      const wait = secondsOf(now) - now
      assert.ok(wait > 0 && wait <= 300, `${now}: ${wait}`)
    }
  })
})

describe('nextRetryAt', () => {
  const since = new Date('2026-01-01T00:00:00.000Z')
  const waitAfter = (seconds: number) => {
    const now = new Date(since.getTime() + seconds * 1_000)
    return (nextRetryAt(since, now).getTime() - now.getTime()) / 1_000
  }

  it('is 30 s away for 5 minutes, then that of a poll', () => {
    assert.deepEqual([0, 31, 95, 299, 300, 749].map(waitAfter), [30, 30, 30, 30, 150, 1])
  })
})
