import assert from 'node:assert/strict'
import { isScoreMoved, newAgentScore, type PayloadOf, type scoreChanged } from '@carapace/api'
import { inputsOf } from '@carapace/formula'
import { newScore } from './new-score.ts'
import { applyStanding, followBatch, type ScoreDoc, startBatch } from './score.store.ts'

const now = new Date('2026-03-04T12:00:00.000Z')
const chain = 'BASE_SEPOLIA'

const newDoc = (): ScoreDoc => {
  const agent = { agentId: 'a1', handle: 'ada', wallet: `0x${'1'.repeat(40)}`, registeredAt: now.toISOString(), status: 'active', platform: false }
  return newScore(agent as unknown as Parameters<typeof newScore>[0])
}
const inBatch = (): ScoreDoc => {
  const doc = newDoc()
  return startBatch({ ...doc, chains: { ...doc.chains, [chain]: { ...doc.chains[chain], registered: true } } }, chain, 'b1')!.state
}
const confirmed = { is: 'confirmed', round: 1, seq: 2, txHash: '0x1', blockNumber: 9 } as const
const failed = { is: 'failed', round: 1, seq: 3, txHash: null, error: 'REVERTED' } as const

describe('a batch of scores', () => {
  it('that is confirmed gives the network its scores once, also in another block', () => {
    const first = followBatch(inBatch(), chain, 'b1', confirmed, now)!
    const again = followBatch(first.state, chain, 'b1', { ...confirmed, seq: 4, txHash: '0x2' }, now)!

    assert.deepEqual([first.state.chains[chain].score, first.events.length], [15, 1])
    assert.deepEqual([again.state.chains[chain].txHash, again.events.length], ['0x2', 0])
    assert.equal(followBatch(again.state, chain, 'b1', confirmed, now), undefined)
  })

  it('that fails leaves the agent to the next one', () => {
    const { state } = followBatch(inBatch(), chain, 'b1', failed, now)!

    assert.deepEqual([state.chains[chain].batchId, state.chains[chain].score], [null, null])
    assert.equal(state.syncDueAt?.getTime(), now.getTime() + 3_600_000)
  })

  it('of a record from before its command was stored is followed', () => {
    const doc = inBatch()
    const { onChain: _, ...old } = doc.chains[chain]

    const followed = followBatch({ ...doc, chains: { ...doc.chains, [chain]: old } }, chain, 'b1', confirmed, now)

    assert.equal(followed?.state.chains[chain].score, 15)
  })

  it('of another agent or time is not followed', () => {
    assert.equal(followBatch(inBatch(), chain, 'b2', confirmed, now), undefined)
  })
})

describe('a change of a standing', () => {
  const changedTo = (standing: Partial<ScoreDoc>) => {
    const before = newDoc()
    const [event] = applyStanding(before, { ...before, ...standing }, now, () => inputsOf('a1', []))!.events
    return isScoreMoved(event!.data as PayloadOf<typeof scoreChanged>)
  }

  it('is written where another formula is the shadow, also when its score is the same', () => {
    const before = { ...newDoc(), shadow: { formulaVersion: '2', fusedScore: 15, tier: 'Hatchling' } as const }
    const next = { ...before, shadow: { ...before.shadow, formulaVersion: '3' as const } }
    const written = (standing: ScoreDoc) => applyStanding(before, standing, now, () => inputsOf('a1', []))

    assert.equal(written(before), undefined)
    assert.equal(written(next)?.state.shadow?.formulaVersion, '3')
  })

  it('says whether score, risk or judgement moved, which start as everybody assumes them', () => {
    const { fusedScore, tier, risk } = newDoc()

    assert.deepEqual({ fusedScore, tier, riskScore: risk.riskScore }, newAgentScore)
    assert.equal(changedTo({ badges: ['onchain'] as ScoreDoc['badges'] }), false)
    assert.equal(changedTo({ fusedScore: 15.1 }), true)
    assert.equal(changedTo({ judgement: 650_000 }), true)
    assert.equal(changedTo({ risk: { ...risk, riskScore: 5 } }), true)
  })
})
