import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Claim, type ClaimStatus, type Outcome, type Step, stepFor, steps, take } from './claim.ts'

const claiming: Claim = {
  id: 'c1',
  round: 2,
  seq: 5,
  validatorId: 'a1',
  wallet: '0xA',
  chain: 'BASE_SEPOLIA',
  amount: 7n,
  rewards: [{ validationId: 'v1', amount: 7n }],
  status: 'claiming',
  txHash: null,
}
const confirmed = (more: Partial<Outcome> = {}) => ({ is: 'confirmed', round: 2, seq: 6, txHash: '0x1', ...more }) as Outcome
const failed = (more: Partial<Outcome> = {}) => ({ is: 'failed', round: 2, seq: 6, code: 'REVERTED', ...more }) as Outcome

describe('a claim of rewards', () => {
  const table: [string, ClaimStatus, Outcome, Step | undefined][] = [
    ['is paid by a confirmation', 'claiming', confirmed(), 'pay'],
    ['goes back by a terminal failure', 'claiming', failed(), 'back'],
    ['stays paid in another block', 'claimed', confirmed(), 'remine'],
    ['that was paid goes back when it fails after a reorganisation', 'claimed', failed(), 'undo'],
    ['hears a repeated confirmation once', 'claimed', confirmed({ seq: 5 }), undefined],
    ['hears no failure that is older than what was followed', 'claimed', failed({ seq: 4 }), undefined],
    ['hears a repeated failure once', 'failed', failed(), undefined],
    ['that failed is not paid by an older confirmation', 'failed', confirmed({ seq: 4 }), undefined],
    ['hears nothing of an earlier round', 'claiming', failed({ round: 1 }), undefined],
    ['hears nothing of a later round that nobody asked for', 'failed', confirmed({ round: 3 }), undefined],
  ]
  for (const [title, status, outcome, step] of table) it(title, () => assert.equal(stepFor({ ...claiming, status }, outcome), step))

  it('is paid once at most and ends as the newest outcome says, in whatever order and however often outcomes come', () => {
    const outcomes = fc.array(fc.record({ is: fc.constantFrom('confirmed', 'failed'), seq: fc.integer({ min: 6, max: 12 }) }), { minLength: 1 })
    fc.assert(
      fc.property(outcomes, told => {
        // the relayer: confirmations, one for each block, may be followed by one final failure
        const last = Math.max(...told.map(({ seq }) => seq))
        const isFailed = told.find(({ seq }) => seq === last)!.is === 'failed'
        let claim = claiming
        let out = 0n
        for (const { seq } of told) {
          const outcome = seq === last && isFailed ? failed({ seq }) : confirmed({ seq })
          const step = stepFor(claim, outcome)
          if (!step) continue
          assert.equal(steps[step].from, claim.status)
          out += step === 'pay' ? claim.amount : step === 'undo' ? -claim.amount : 0n
          claim = take(claim, step, outcome)
        }
        assert.deepEqual([claim.status, out], isFailed ? ['failed', 0n] : ['claimed', 7n])
      }),
    )
  })
})
