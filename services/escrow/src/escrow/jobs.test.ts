import assert from 'node:assert/strict'
import type { ValidationRow } from '@carapace/api'
import { appeal, blank, verdict } from '../testing/facts.ts'
import { hasNewerVerdict } from './jobs.ts'

describe('an escrow whose time has come', () => {
  const { appealId } = appeal()
  const row = (more: Partial<ValidationRow>) =>
    ({ validationId: 'v', appealOf: null, nextValidationId: null, status: 'pending', ...more }) as ValidationRow
  const rejected = { verdict: verdict('rejected', { frozen: true }) }
  const cases: [string, Partial<ReturnType<typeof blank>>, Partial<ValidationRow>, boolean][] = [
    ['decides while a panel judges', {}, {}, false],
    ['waits for a verdict that the swarm has', {}, { status: 'approved' }, true],
    ['waits for the expiry of a last round, also of the first one', {}, { status: 'expired' }, true],
    ['decides after an expiry that has a second round', {}, { status: 'expired', nextValidationId: 'w' }, false],
    ['waits for an appeal that is unknown to it', rejected, { validationId: appealId, appealOf: 'v' }, true],
    ['waits for the outcome of an appeal', { ...rejected, appeal: appeal() }, { validationId: appealId, appealOf: 'v', status: 'rejected' }, true],
    ['waits for no superseded panel', { ...rejected, appeal: appeal() }, { validationId: appealId, appealOf: 'v', status: 'superseded' }, false],
  ]
  for (const [title, facts, validation, expected] of cases) {
    it(title, () => {
      assert.equal(hasNewerVerdict({ ...blank(), ...facts }, [row(validation)]), expected)
    })
  }
})
