import { dayMs, hourMs } from '@carapace/api'
import { type Assignment, type Escrow, newEscrow, type Verdict } from '../escrow/escrow.ts'

/** Plain values for tests of the pure rules. */
export const start = new Date('2026-01-01T00:00:00.000Z')
export const later = (ms: number, from = start): Date => new Date(from.getTime() + ms)
const uuid = (n: number) => `0190a5d0-0000-7000-8000-${String(n).padStart(12, '0')}`
export const wallets = { poster: `0x${'11'.repeat(20)}`, worker: `0x${'22'.repeat(20)}`, custodial: `0x${'33'.repeat(20)}` }

export const blank = (amount = 40_000_000n): Escrow =>
  newEscrow({ gigId: uuid(1), gigTitle: 'Audit', posterId: uuid(2), amount, chain: 'BASE_SEPOLIA' }, uuid(3))
export const assignment: Assignment = { assigneeId: uuid(4), wallet: wallets.worker, crewId: null, feeBp: 300, deadlineAt: later(2 * dayMs) }
export const delivery = { submissionId: uuid(5), url: 'https://example.org/r', at: later(hourMs) }
export const verdict = (result: Verdict['result'], more: Partial<Verdict> = {}): Verdict => ({
  result,
  validationId: uuid(6),
  weak: false,
  frozen: false,
  note: null,
  settleAfter: null,
  appealUntil: more.frozen ? later(2 * dayMs) : null,
  approvalPct: 50,
  votes: 3,
  at: start,
  ...more,
})
export const appeal = (more: Partial<NonNullable<Escrow['appeal']>> = {}): NonNullable<Escrow['appeal']> => ({
  appealId: uuid(7),
  filedAt: later(dayMs),
  expiresAt: later(4 * dayMs),
  oracleAssisted: false,
  outcome: null,
  applySlash: false,
  weak: false,
  approvalPct: 60,
  votes: 5,
  ...more,
})
export const chainAt = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 9 }
