import assert from 'node:assert/strict'
import { codeOf } from '@carapace/testing'
import { validationStates } from './validation-states.ts'

describe('the states of a validation', () => {
  it('are left by no move once they are final', () => {
    for (const state of validationStates.final)
      assert.equal(
        codeOf(() => validationStates.move(state, 'supersede')),
        'INVALID_STATE',
      )
  })
})
