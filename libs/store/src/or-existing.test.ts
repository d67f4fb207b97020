import assert from 'node:assert/strict'
import { refuse } from '@carapace/api'
import { orExisting } from './or-existing.ts'

const refused = async () => refuse('INSUFFICIENT_BALANCE')

describe('orExisting', () => {
  it('answers what was made, without a read', async () => {
    assert.equal(await orExisting(Promise.resolve('made'), assert.fail), 'made')
  })

  it('answers the existing one when what makes it is refused', async () => {
    assert.equal(await orExisting<string>(refused(), async () => 'existing'), 'existing')
  })

  it('passes a refusal on where none exists, and every other error', async () => {
    await assert.rejects(
      orExisting(refused(), async () => undefined),
      { code: 'INSUFFICIENT_BALANCE' },
    )
    await assert.rejects(orExisting(Promise.reject(new Error('lost')), assert.fail), /lost/)
  })
})
