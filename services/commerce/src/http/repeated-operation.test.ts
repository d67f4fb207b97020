import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import type { Answer } from '@carapace/testing'
import { type Harness, oracle, sharedHarness } from '../testing/harness.ts'

/** The process died after the effect and before its answer was stored: the client repeats the request under its key. */
describe('a request about a job whose answer was lost', () => {
  const harness = sharedHarness()

  const becomes = async (agentId: string, status: 'suspended') => {
    const { agents, platform } = harness
    const row = agents.get(agentId)!
    agents.set(agentId, { ...row, status, version: row.version + 1 })
    const wallets = { wallet: row.wallet, formerWallet: null }
    await platform.publish(
      api.agentStatusChanged.of({ agentId, handle: row.handle, status, ...wallets, cause: 'admin', reason: null }),
      row.version + 1,
    )
  }
  const post: Harness['post'] = (...request) => harness.post(...request)
  const forget = () => harness.platform.forgetAnswers('commerce')
  /** The answers to the request, to its repeat after the answer was lost, and to the same request under another key; and the commands it sent. */
  const repeated = async (kind: string, id: string, request: (key: Record<string, string>) => Promise<Answer>) => {
    const key = { 'idempotency-key': randomUUID() }
    const first = await request(key)
    await forget()
    const [again, other] = [await request(key), await request({ 'idempotency-key': randomUUID() })]
    return { first, again, other, sent: harness.commands.filter(({ opKey }) => opKey === `${kind}:${id}`).length }
  }
  const statusOf = ({ status, body }: Answer) => [status, body.code ?? body.job.status]

  it('accepts its applicant once, and nobody who was suspended since', async () => {
    const { id, poster, worker } = await harness.jobIn('funded')
    const suspended = await harness.newAgent()
    assert.equal((await post(`/${id}/apply`, { proposal: 'I can' }, suspended.headers)).status, 201)
    const accept = (agentId: string, key = {}) => post(`/${id}/accept`, { agentId }, { ...poster.headers, ...key })
    await becomes(suspended.id, 'suspended')
    assert.deepEqual(statusOf(await accept(suspended.id)), [403, 'ACCOUNT_SUSPENDED'])

    const { first, again, sent } = await repeated('job.assign', id, async key => {
      const answer = await accept(worker.id, key)
      await becomes(worker.id, 'suspended')
      return answer
    })

    assert.deepEqual([statusOf(first), statusOf(again), sent], [[200, 'assigned'], [200, 'assigned'], 1])
  })

  it('cancels it once', async () => {
    const { id, poster } = await harness.jobIn('open')

    const { first, again, other, sent } = await repeated('job.settle', id, key => post(`/${id}/cancel`, {}, { ...poster.headers, ...key }))

    assert.deepEqual(
      [statusOf(first), statusOf(other)],
      [
        [200, 'cancelled'],
        [409, 'INVALID_STATE'],
      ],
    )
    assert.deepEqual([again.status, again.body.job, again.body.txHash, sent], [200, first.body.job, first.body.txHash, 1])
  })

  it('disputes it once, and settles it once', async () => {
    const { id, poster } = await harness.jobIn('submitted')

    const disputed = await repeated('job.dispute', id, key => post(`/${id}/dispute`, { reason: 'Late' }, { ...poster.headers, ...key }))
    const settled = await repeated('job.settle', id, key => post(`/${id}/settle`, { outcome: 'settle' }, { ...oracle, ...key }))

    for (const [{ first, again, other, sent }, status] of [
      [disputed, 'disputed'],
      [settled, 'settled'],
    ] as const) {
      assert.deepEqual([statusOf(first), statusOf(other), sent], [[200, status], [409, 'INVALID_STATE'], 1])
      assert.deepEqual(again.body, first.body)
    }
  })

  it('answers again that the chain refused the dispute, which another request may open', async () => {
    const { id, poster } = await harness.jobIn('submitted')
    harness.fails = 'job.dispute'
    const key = { ...poster.headers, 'idempotency-key': randomUUID() }
    const first = await post(`/${id}/dispute`, { reason: 'Late' }, key)
    await forget()
    harness.fails = undefined

    const again = await post(`/${id}/dispute`, { reason: 'Late' }, key)
    const other = await post(`/${id}/dispute`, { reason: 'Late' }, poster.headers)

    assert.deepEqual([first, again, other].map(statusOf), [
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
      [200, 'disputed'],
    ])
  })
})
