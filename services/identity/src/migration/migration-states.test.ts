import assert from 'node:assert/strict'
import { codeOf } from '@carapace/testing'
import { migrationStates } from './migration-states.ts'

describe('the states of a migration', () => {
  it('are left by no move once they are final', () => {
    for (const state of migrationStates.final)
      assert.equal(
        codeOf(() => migrationStates.move(state, 'approve')),
        'INVALID_STATE',
      )
  })
})
