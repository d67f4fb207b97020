import assert from 'node:assert/strict'
import { dayMs } from '@carapace/api'
import { followed, funding, later, momentAt, open, settled, start, submitted } from '../testing/walk.ts'
import { applyStepOutcome } from './apply-step-outcome.ts'
import { resendSettle, sendSettle } from './commands.ts'
import { upgradeJob } from './job.store.ts'
import type { Job } from './job.ts'
import { mirror, regress } from './mirror.ts'

/** As jobs were stored before a step had `onChain`. */
const inOldForm = (job: Job): Job => {
  const on = Object.entries(job.on).map(([step, { onChain, ...rest }]) => [step, { ...rest, ...onChain }])
  return { ...job, on: Object.fromEntries(on) } as unknown as Job
}
const upgraded = (job: Job): Job => upgradeJob(inOldForm(job))
const settling = () => sendSettle(submitted(), { outcome: 'complete', trigger: 'settle', by: 'oracle', reason: '', at: start }).state

describe('a job that was stored before its steps had one field on chain', () => {
  it('is the same in the present form, wherever it was', () => {
    const failed = followed(settling(), 'settle', 'failed').state
    for (const job of [open(), funding(), submitted(), settling(), failed, settled()]) assert.deepEqual(upgraded(job), job)
  })

  it('follows the outcomes that are newer than those that it knew', () => {
    const job = upgraded(followed(settling(), 'settle', 'submitted').state)
    const outcome = { is: 'reorged' as const, round: 1, seq: 1 }

    assert.equal(applyStepOutcome(job, 'settle', outcome, momentAt(start)), undefined)
    assert.equal(followed(job, 'settle', 'confirmed').state.status, 'settled')
  })

  it('goes back when its payment fails after a reorganisation, and pays in the next round', () => {
    const failed = followed(upgraded(settled()), 'settle', 'failed', later(dayMs)).state

    assert.deepEqual([failed.status, failed.on.settle!.applied], ['submitted', false])
    assert.equal(resendSettle(upgraded(failed)).state.on.settle!.onChain.round, 2)
  })

  it('goes back when the transaction of somebody else is dropped', () => {
    const contract = {
      ...{
        client: open().posterWallet,
        provider: null,
        evaluator: open().posterWallet,
        description: '',
        budget: 20_000_000n,
        expiredAt: later(dayMs),
      },
      ...{ status: 'Open' as const, deposit: { payer: open().posterWallet, amount: 20_000_000n }, isDisputed: false },
    }
    const terms = { contract, posterId: null, assigneeId: null, isOurEvaluator: true, isWithdrawal: false }
    const seen = { ...terms, step: 'fund' as const, payer: null, txHash: '0xf' }
    const funded = mirror(open(), { ...seen, blockNumber: 9, deliverableHash: null, submissionId: 's1' }, momentAt(start))!.state

    assert.equal(regress(upgraded(funded), '0xf', { ...contract, deposit: null }, start)!.state.status, 'open')
  })

  it('is left alone in the present form', () => {
    const job = settled()

    assert.equal(upgradeJob(job), job)
  })
})
