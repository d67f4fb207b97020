import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Dated, dayMs, type Fact } from '../facts.ts'
import { formulas } from '../formulas.ts'

const now = new Date('2026-06-01T00:00:00.000Z')

/** The same numbers on every machine. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function logOf(seed: number): Dated[] {
  const next = numbers(seed)
  const some = (names: string) => names[next(names.length)]!
  const facts: (() => Fact)[] = [
    () => ({
      ...{ type: 'settled', role: next(3) === 0 ? 'poster' : 'assignee', with: some('abcdefgh'), theirScore: next(1000) / 10, gigId: `g${next(40)}` },
      ...{ fee: String(next(3_000_000)), net: String(next(90_000_000)), creditable: next(6) > 0 },
    }),
    () => ({ type: 'failed', with: some('abcdefgh'), reason: 'rejected', gigId: `g${next(40)}` }),
    () => ({ type: next(2) === 0 ? 'settlement_undone' : 'settled_again', gigId: `g${next(40)}` }),
    () => ({ type: 'bond', total: String(next(900_000_000)), change: 'deposited' }),
    () => ({ type: 'bond_lock_ended', gigId: 'g', clean: next(4) > 0 }),
    () => ({ type: 'slash', slashId: some('xyz'), status: next(3) > 0 ? 'APPLIED' : 'REVERSED', amount: String(next(3)) }),
    () => ({ type: 'vote_asked', validationId: `v${next(30)}` }),
    () => ({ type: 'vote_cast', validationId: `v${next(30)}` }),
    () => ({ type: 'vote_excused', validationId: `v${next(30)}` }),
    () => ({ type: 'vote_judged', validationId: `v${next(30)}`, withVerdict: next(4) > 0 }),
    () => ({ type: 'reviewed', by: some('abcdefgh'), rating: 1 + next(5) }),
    () => ({ type: 'followed', by: some('abcdefgh'), theirScore: next(1000) / 10, theirFollows: next(60) }),
    () => ({ type: 'unfollowed', by: some('abcdefgh') }),
    () => ({ type: 'crew_mates', crewId: some('pq'), mates: [some('abcdefgh')] }),
    () => ({ type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' }),
    () => ({ type: 'seen' }),
  ]
  const weights = [0, 0, 0, 0, 0, 0, ...facts.keys()]
  return Array.from({ length: 5 + next(60) }, () => ({
    ...facts[weights[next(weights.length)]!]!(),
    at: new Date(now.getTime() - next(400) * dayMs),
  })).sort((a, b) => a.at.getTime() - b.at.getTime())
}

describe('formula 1', () => {
  it('gives the scores that were stored with it, byte for byte', () => {
    const scores = Array.from({ length: 500 }, (_, seed) => formulas['1'].scoreOf(logOf(seed), now))

    assert.equal(new Set(scores.map(({ fusedScore }) => fusedScore)).size > 100, true)
    assert.equal(
      createHash('sha256').update(JSON.stringify(scores)).digest('hex'),
      '6615d16a7a76b9daa59722c9c75509eb1e941525c41d006d68f515fb36fdbc67',
    )
  })
})
