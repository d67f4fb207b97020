import assert from 'node:assert/strict'
import { commerceApi } from '@carapace/api'
import { funded, funding, later, place, start } from '../testing/walk.ts'
import type { Job } from './job.ts'
import { jobView } from './views.ts'

const refs = (id: string) => ({ id, handle: null, fusedScore: 0, tier: null })
const viewAt = (job: Job, seconds: number) =>
  jobView({ ...job, version: 1, createdAt: start, updatedAt: start }, refs, later(seconds * 1_000), place.contract)

describe('a job as it is answered', () => {
  it('has the fields that are declared, and no other', () => {
    const { shape } = commerceApi.endpoints.getJob.response!

    assert.deepEqual(Object.keys(viewAt(funded(), 0)).sort(), Object.keys(shape).sort())
  })
})

describe('nextDeadline of a job', () => {
  const shownAt = (job: Job, seconds: number) => viewAt(job, seconds).nextDeadline

  it('is the next poll of the relayer while a step is on its way to the chain', () => {
    assert.deepEqual(shownAt(funding(), 0), { at: later(30_000).toISOString(), action: 'poll' })
    assert.deepEqual(shownAt(funding(), 31), { at: later(90_000).toISOString(), action: 'poll' })
  })

  it('is its own timer otherwise', () => {
    const job = funded()

    assert.deepEqual(shownAt(job, 0), { at: job.submitDeadline.toISOString(), action: 'expire' })
  })
})
