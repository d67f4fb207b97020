import assert from 'node:assert/strict'
import { type Started, startThings } from '../testing/start-things.fixture.ts'

describe('a service whose answers are checked', () => {
  let service: Started

  before(async () => {
    service = await startThings({ env: { CHECK_ANSWERS: 'true' } })
  })
  after(() => service.close())

  it('refuses with what the endpoint declares', async () => {
    const { status, body } = await service.post('/api/things', { title: 'replayed' })

    assert.deepEqual([status, body.code], [409, 'REPLAY_DETECTED'])
  })

  it('refuses with what is common to all endpoints', async () => {
    const { status, body } = await service.post('/api/things', { title: '' })

    assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'])
  })

  it('answers any other refusal as a fault that names endpoint and code', async () => {
    const { status, body } = await service.post('/api/things', { title: 'refused' })

    assert.deepEqual([status, body.message], [500, 'post /api/things refuses with NOT_POSTER, which it does not declare'])
  })
})
