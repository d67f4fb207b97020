import assert from 'node:assert/strict'
import { hourMs, type ValidationRow } from '@carapace/api'
import { appeal, blank, later, start, verdict } from '../testing/facts.ts'
import { hasNewerVerdict, mayBeAppealed, unknownAppeal } from './newer-verdict.ts'

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
    ['waits for an appeal that is unknown to it and has no panel', rejected, { status: 'rejected', appealId }, true],
    ['decides about an appeal that it knows', { ...rejected, appeal: appeal() }, { status: 'rejected', appealId }, false],
    ['waits for the outcome of an appeal', { ...rejected, appeal: appeal() }, { validationId: appealId, appealOf: 'v', status: 'rejected' }, true],
    ['waits for no superseded panel', { ...rejected, appeal: appeal() }, { validationId: appealId, appealOf: 'v', status: 'superseded' }, false],
  ]
  for (const [title, facts, validation, expected] of cases) {
    it(title, () => {
      assert.equal(hasNewerVerdict({ ...blank(), ...facts }, [row(validation)]), expected)
    })
  }

  it('waits 30 seconds longer for an appeal that may have been filed at the last moment', () => {
    const frozen = { ...blank(), ...rejected }
    const waits = (more: Partial<ReturnType<typeof blank>>, ms: number) => mayBeAppealed({ ...frozen, ...more }, later(48 * hourMs + ms))

    assert.deepEqual([waits({}, 0), waits({}, 29_999), waits({}, 30_000), waits({ appeal: appeal() }, 0)], [true, true, false, false])
    assert.equal(waits({ verdict: verdict('rejected') }, 0), false)
  })

  it('knows of an appeal from the validation that it is against, and that it has no panel where it has no validation', () => {
    const against = row({ status: 'rejected', appealId, appealExpiresAt: appeal().expiresAt.toISOString() })
    const panel = row({ validationId: appealId, appealOf: 'v' })
    const read = (...rows: ValidationRow[]) => unknownAppeal({ ...blank(), ...rejected }, rows, start)

    assert.deepEqual([read(against)?.oracleAssisted, read(panel, against)?.oracleAssisted, read(row({}))], [true, false, undefined])
    assert.deepEqual([read(against)?.appealId, read(against)?.expiresAt, read(against)?.outcome], [appealId, appeal().expiresAt, null])
    assert.equal(unknownAppeal({ ...blank(), ...rejected, appeal: appeal() }, [against], start), undefined)
  })
})
