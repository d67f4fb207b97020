import assert from 'node:assert/strict'
import { jobEnds } from './job-pieces.ts'
import { jobsOf } from './round.ts'

describe('the commerce jobs of a round', () => {
  it('come to every end that needs no clock, in a round of any size', () => {
    for (const settlements of [1, 10, 100]) assert.deepEqual(new Set(jobsOf(settlements)), new Set(jobEnds), `${settlements} settlements`)
  })
})
