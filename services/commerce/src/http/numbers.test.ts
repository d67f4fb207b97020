import assert from 'node:assert/strict'
import { chains } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { oracle, sharedHarness } from '../testing/harness.ts'

describe('a job that is named by its number on chain', () => {
  const harness = sharedHarness()
  let number: string
  let parties: { poster: TestAgent; worker: TestAgent }
  const ids = new Map<string, string>()
  before(async () => {
    parties = { poster: await harness.newAgent(), worker: await harness.newAgent() }
    for (const chain of chains) {
      const draft = { title: chain, description: 'Two pages.', budgetUsdc: 20, chain }
      const { job } = (await harness.post('', draft, parties.poster.headers)).body
      number = job.onChainJobId
      ids.set(chain, job.id)
    }
  })

  const get = (path: string, query = '') => harness.platform.call('GET', `${path}${query}`)
  const one = '?chain=SKALE_TESTNET'

  it('has another one of the same number on the other network: every route accepts the network, and requires it', async () => {
    const { poster, worker } = parties
    const acts = [
      ['fund', {}, poster.headers],
      ['apply', { proposal: 'I can' }, worker.headers],
      ['accept', { agentId: worker.id }, poster.headers],
      ['submit', { deliverableUrl: 'https://example.org/r' }, worker.headers],
      ['dispute', { reason: 'half of it' }, poster.headers],
      ['settle', {}, oracle],
    ] as const
    for (const [act, body, headers] of acts) {
      const [refused, done] = [await harness.post(`/${number}/${act}`, body, headers), await harness.post(`/${number}/${act}${one}`, body, headers)]
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [400, 'chain'], act)
      assert.ok(done.status < 300, `${act}: ${JSON.stringify(done.body)}`)
    }
    for (const read of ['', '/applicants', '/quorum']) {
      const path = `/api/erc8183/jobs/${number}${read}`
      assert.deepEqual([(await get(path)).status, (await get(path, one)).status], [400, 200], read)
    }
    for (const read of ['receipt', 'receipt.png']) {
      const path = `/api/commerce/jobs/${number}/${read}`
      assert.deepEqual([(await get(path)).status, (await get(path, one)).status], [400, 200], read)
    }
    const issued = await harness.platform.call('POST', `/api/commerce/jobs/${number}/receipt${one}`)
    assert.deepEqual([issued.status, issued.body.jobId], [200, ids.get('SKALE_TESTNET')])
    const cancelled = await harness.post(`/${number}/cancel?chain=BASE_SEPOLIA`, {}, poster.headers)
    assert.deepEqual([cancelled.status, cancelled.body.job.id, cancelled.body.job.status], [200, ids.get('BASE_SEPOLIA'), 'cancelled'])
    assert.equal((await harness.read(ids.get('SKALE_TESTNET')!)).status, 'settled')
  })
})
