import assert from 'node:assert/strict'
import { funded, funding, later, start } from '../testing/walk.ts'
import type { Job } from './job.ts'
import { jobView } from './views.ts'

describe('nextDeadline of a job', () => {
  const refs = (id: string) => ({ id, handle: null, fusedScore: 0, tier: null })
  const shownAt = (job: Job, seconds: number) =>
    jobView({ ...job, version: 1, createdAt: start, updatedAt: start }, refs, later(seconds * 1_000)).nextDeadline

  it('is the next poll of the relayer while a step is on its way to the chain', () => {
    assert.deepEqual(shownAt(funding(), 0), { at: later(30_000).toISOString(), action: 'poll' })
    assert.deepEqual(shownAt(funding(), 31), { at: later(90_000).toISOString(), action: 'poll' })
  })

  it('is its own timer otherwise', () => {
    const job = funded()

    assert.deepEqual(shownAt(job, 0), { at: job.submitDeadline.toISOString(), action: 'expire' })
  })
})
