import { type CounterpartyChange, type Dated, dayMs, type Fact } from '../facts.ts'

export const now = new Date('2026-06-01T00:00:00.000Z')

/** The same numbers on every machine. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A log of facts as they were first stored. */
export function logOf(seed: number): Dated[] {
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

/** The same, with what facts store of the other side since, in a market that is young or has matured. */
export function fullLogOf(seed: number): Dated[] {
  const next = numbers(seed + 1_000_000)
  const log = logOf(seed).map((fact): Dated => {
    if (next(8) === 0) return fact
    if (fact.type === 'settled' && fact.role === 'poster') return { ...fact, theirCredit: next(3_000_000) }
    if (fact.type === 'settled') return { ...fact, theirStanding: next(1_000_000) }
    if (fact.type === 'failed') return { ...fact, theirStanding: next(1_000_000), budget: String(next(90_000_000)) }
    if (fact.type === 'vote_judged') return { ...fact, vote: next(4) > 0 ? 'approve' : 'reject' }
    return fact.type === 'slash' ? { ...fact, cause: next(2) === 0 ? 'verdict' : 'decision' } : fact
  })
  const maturedAt = new Date(now.getTime() - next(400) * dayMs)
  return next(3) === 0 ? log : [...log, { type: 'market_matured', reason: 'vouchers', at: maturedAt }]
}

/** The same, with what its counterparties have become since, some of it at the very moment of an outcome, or of agents it never dealt with. */
export function changedLogOf(seed: number): Dated[] {
  const next = numbers(seed + 2_000_000)
  const log = fullLogOf(seed)
  const change = (): CounterpartyChange => ({
    with: 'abcdefghz'[next(9)]!,
    ...(next(3) > 0 ? { theirStanding: next(1_000_000) } : {}),
    ...(next(3) === 0 ? { theirCredit: next(3_000_000) } : {}),
  })
  const changed = Array.from({ length: next(4) }, (): Dated => {
    const at = next(3) === 0 ? log[next(log.length)]!.at : new Date(now.getTime() - next(400) * dayMs)
    return { type: 'counterparties_changed', changed: Array.from({ length: 1 + next(5) }, change), at }
  })
  return [...log, ...changed]
}
