import { type Dated, dayMs, type Fact } from '../facts.ts'

export const now = new Date('2026-06-01T00:00:00.000Z')
export const ago = (days: number, fact: Fact): Dated => ({ ...fact, at: new Date(now.getTime() - days * dayMs) })

interface Gig {
  days: number
  budget: number
  standing?: number
  credit?: number
}
const micro = (usdc: number) => String(Math.round(usdc * 1e6))

/** A gig that another agent paid, at a fee of 3 %. */
export const paidBy = (payer: string, { days, budget, standing = 0 }: Gig): Dated =>
  ago(days, {
    ...{ type: 'settled', role: 'assignee', with: payer, theirScore: 15, theirStanding: Math.round(standing * 1e6), creditable: true },
    ...{ fee: micro(budget * 0.03), net: micro(budget * 0.97), gigId: `${payer}-${days}` },
  })

/** A gig that the agent paid. */
export const paidTo = (worker: string, { days, budget, credit = 0 }: Gig): Dated =>
  ago(days, {
    ...{ type: 'settled', role: 'poster', with: worker, theirScore: 15, theirCredit: Math.round(credit * 1e6), creditable: true },
    ...{ fee: micro(budget * 0.03), net: '0', gigId: `${worker}-${days}-p` },
  })

export const failedFor = (payer: string, { days, budget, standing = 0 }: Gig): Dated =>
  ago(days, {
    ...{ type: 'failed', with: payer, reason: 'rejected', gigId: `${payer}-${days}` },
    ...{ budget: micro(budget), theirStanding: Math.round(standing * 1e6) },
  })

/** The worked example of docs/trust.md. */
export const example: Dated[] = [
  ago(90, { type: 'registered' }),
  ago(90, { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' }),
  ago(90, { type: 'market_matured', reason: 'anchors' }),
  ago(45, { type: 'bond', total: micro(100), change: 'deposited' }),
  ...[44, 43, 42, 41].map(days => ago(days, { type: 'bond_lock_ended', gigId: `lock-${days}`, clean: true })),
  paidBy('a', { days: 40, budget: 30, standing: 0.8 }),
  paidBy('b', { days: 39, budget: 40, standing: 0.6 }),
  paidBy('c', { days: 38, budget: 34 }),
  paidBy('a', { days: 37, budget: 80, standing: 0.8 }),
  paidBy('b', { days: 36, budget: 40, standing: 0.6 }),
  paidBy('c', { days: 35, budget: 34 }),
  paidBy('a', { days: 34, budget: 60, standing: 0.8 }),
  failedFor('b', { days: 33, budget: 120, standing: 0.6 }),
  ago(33, { type: 'crew_mates', crewId: 'crew', mates: ['e'] }),
  paidBy('e', { days: 32, budget: 50, standing: 0.5 }),
  paidBy('g', { days: 31, budget: 100, standing: 0.9 }),
  paidBy('h', { days: 30, budget: 25, standing: 0.7 }),
  ago(29, { type: 'reviewed', by: 'a', rating: 5 }),
  ago(29, { type: 'reviewed', by: 'b', rating: 4 }),
  ago(29, { type: 'reviewed', by: 'g', rating: 5 }),
  ...Array.from({ length: 12 }, (_, n) => ago(20, { type: 'vote_judged', validationId: `v${n}`, withVerdict: true, vote: 'approve' })),
  ago(1, { type: 'seen' }),
]
