import assert from 'node:assert/strict'
import { gigStatuses } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import { acceptApplication } from './application/application.store.ts'
import { applicationStates } from './application/application-states.ts'
import { gigStates } from './gig-states.ts'

describe('the states of the marketplace', () => {
  it('of gig are those that clients see', () => {
    assert.deepEqual(Object.keys(gigStates.transitions).sort(), [...gigStatuses].sort())
  })

  it('of application accept a pending one, and a rejected one that its gig was assigned to after all', () => {
    const application = { id: 'p1', gigId: 'g1', agentId: 'a1', crewId: null, memberIds: [], proposal: '', status: 'pending' as const }
    const accepted = acceptApplication(application)!.state
    assert.equal(accepted.status, 'accepted')
    assert.equal(acceptApplication(accepted), undefined)
    assert.equal(acceptApplication({ ...application, status: 'rejected' })?.state.status, 'accepted')
    assert.equal(
      codeOf(() => applicationStates.move('accepted', 'reject')),
      'INVALID_STATE',
    )
  })
})
