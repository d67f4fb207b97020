import assert from 'node:assert/strict'
import { dayMs } from '@carapace/api'
import { ago, now } from '../testing/moment.ts'
import { freezeOf } from './freeze.ts'

describe('freeze signals', () => {
  const calm = { rejecterCrews: [], voterRegisteredAt: [], weak: false, quorumText: '3/1 is below the quorum 3/2', resolvedAt: now }

  it('fire when two rejecters share a crew, in the words of the spec', () => {
    assert.equal(
      freezeOf({ ...calm, rejecterCrews: [['c1'], ['c1', 'c2'], ['c2']] }).reason,
      'Crew overlap detected: 2 shared crew(s) among rejection voters, suspected coordinated slash',
    )
  })

  it('fire when two voters are younger than 48 hours', () => {
    assert.equal(
      freezeOf({ ...calm, voterRegisteredAt: [ago(dayMs), ago(dayMs), ago(9 * dayMs)] }).reason,
      'New account cluster: 2 validators have accounts < 48h old, Sybil signal',
    )
    assert.equal(freezeOf({ ...calm, voterRegisteredAt: [ago(dayMs), ago(2 * dayMs)] }).reason, null)
  })

  it('are joined when several fire', () => {
    const { signals, reason } = freezeOf({ ...calm, voterRegisteredAt: [ago(1), ago(1)], weak: true })

    assert.deepEqual(signals, ['new_account_cluster', 'weak_panel'])
    assert.match(reason ?? '', /Sybil signal; Weak panel: 3\/1 is below the quorum 3\/2/)
  })
})
