import assert from 'node:assert/strict'
import { commerceApi, Refusal } from '@carapace/api'
import { sendSettle } from '../job/commands.ts'
import type { Job } from '../job/job.ts'
import { revertLost } from '../job/transition.ts'
import type { Parts } from '../parts.ts'
import { receiptOf, receiptView } from '../receipt/receipt.ts'
import { followed, settled, start, submitted, wallets } from '../testing/walk.ts'
import { receiptHandlers } from './receipts.ts'

type Outcome = 'complete' | 'reject'
const decided = (outcome: Outcome): Job =>
  sendSettle(submitted(), { outcome, trigger: outcome === 'complete' ? 'settle' : 'reject', by: 'oracle', reason: '', at: start })!.state
const reversed = (): Job => revertLost(followed(settled(), 'settle', 'failed').state, start).state

describe('the receipt of a job as it is answered', () => {
  it('has the fields that are declared, and no other, also next to its transactions', () => {
    const parties = { poster: { handle: 'poster', wallet: wallets.poster }, assignee: { handle: null, wallet: wallets.assignee } }
    const { shape } = commerceApi.endpoints.getCommerceReceipt.response!

    const shown = receiptView(receiptOf(settled(), parties), 'https://example.org')

    assert.deepEqual(Object.keys(shown).sort(), Object.keys(shape).sort())
    assert.deepEqual(Object.keys(shown.txHashes).sort(), Object.keys(shape.txHashes.shape).sort())
  })
})

describe('the receipt of a job that is not paid', () => {
  const table: [string, () => Job, retryable: boolean][] = [
    ['is refused as retryable while the payment is being made', () => decided('complete'), true],
    ['is refused as retryable while a reversed payment waits to be made again', reversed, true],
    ['is refused while nothing is decided', submitted, false],
    ['is refused while the refund is being made', () => decided('reject'), false],
    ['is refused for good after a refund', () => followed(decided('reject'), 'settle', 'confirmed').state, false],
  ]
  for (const [title, jobOf, retryable] of table)
    it(title, async () => {
      const job = jobOf()
      const parts = { jobs: { need: async () => job }, config: { PUBLIC_BASE_URL: 'https://example.org' } } as unknown as Parts
      const { issueCommerceReceipt } = receiptHandlers(parts)

      const issue = async () => issueCommerceReceipt({ params: { id: job.id }, query: {} } as Parameters<typeof issueCommerceReceipt>[0])

      await assert.rejects(issue, error => error instanceof Refusal && error.code === 'INVALID_STATE' && error.isRetryable === retryable)
    })
})
