import assert from 'node:assert/strict'
import { startDistributedSubject } from './distributed.ts'
import { jobEnds } from './job-pieces.ts'
import { jobsOf } from './round.ts'
import type { Subject } from './subject.ts'
import { torture } from './torture.ts'

describe('the commerce jobs of a round', () => {
  it('come to every end that needs no clock, in a round of any size', () => {
    for (const settlements of [1, 10, 100]) assert.deepEqual(new Set(jobsOf(settlements)), new Set(jobEnds), `${settlements} settlements`)
  })
})

describe('settlements while processes are killed', function () {
  this.timeout(240_000)
  let subject: Subject
  before(async () => {
    subject = await startDistributedSubject()
  })
  after(() => subject?.end())

  it('are each made exactly once, and the ledger is what the contracts hold: 2 rounds', async () => {
    await torture(subject, { rounds: 2, settlements: 8, kills: 5, seed: 7 })
  })
})
