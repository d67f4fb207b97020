import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { openGig, type TestAgent } from '@carapace/testing'
import { type Harness, newAgent, until, usdc } from './harness.ts'

/** A gig with its parties, published step by step as the other services would. */
export interface Scenario {
  gigId: string
  poster: TestAgent
  worker: TestAgent
  amount: bigint
  chain: api.Chain
  validationId: string
  row: api.GigRow
}

const at = (ms = 0) => new Date(Date.now() + ms).toISOString()

/** A posted gig whose poster has the money and has approved the contract. */
export async function newGig(harness: Harness, { budget = 40, bond = 0, chain = 'BASE_SEPOLIA' as api.Chain } = {}): Promise<Scenario> {
  const [poster, worker] = await Promise.all([newAgent(harness), newAgent(harness)])
  const amount = usdc(budget)
  const gigId = randomUUID()
  harness.balances.set(`${chain}/${poster.wallet}`, usdc(100_000))
  harness.allowances.set(`${chain}/${poster.wallet}`, usdc(100_000))
  const facts = { budget: String(amount), bondRequired: String(usdc(bond)), chain, skillsRequired: ['solidity'] }
  const row = openGig({ gigId, posterId: poster.id, ...facts })
  harness.gigs.set(gigId, row)
  return { gigId, poster, worker, amount, chain, validationId: randomUUID(), row }
}

const gigFacts = ({ gigId, row, amount, chain }: Scenario) => ({ gigId, gigTitle: row.gigTitle, posterId: row.posterId, budget: amount, chain })
const assignment = ({ worker }: Scenario) => ({ assigneeId: worker.id, crewId: null, memberIds: [] })

/** The events of a scenario, as drafts: the marketplace's row follows immediately, as at the owner. */
export const eventOf = {
  posted: (s: Scenario) =>
    api.gigPosted.of({
      ...gigFacts(s),
      status: 'open',
      skillsRequired: s.row.skillsRequired,
      bondRequired: BigInt(s.row.bondRequired),
      deadlineHours: 48,
      crewGig: false,
      createdAt: at(),
    }),
  assigned: (s: Scenario, feeBp = 300) => {
    Object.assign(s.row, { status: 'assigned', assigneeId: s.worker.id, feeBp, assignedAt: at(), deadlineAt: at(48 * api.hourMs) })
    const { skillsRequired, bondRequired, deadlineAt } = s.row
    return api.gigAssigned.of({
      ...gigFacts(s),
      ...assignment(s),
      by: 'application',
      skillsRequired,
      feeBp,
      bondRequired: BigInt(bondRequired),
      assignedAt: at(),
      deadlineAt: deadlineAt!,
    })
  },
  submitted: (s: Scenario) => {
    Object.assign(s.row, { status: 'pending_validation', submissionId: randomUUID(), submittedAt: at() })
    const delivery = { submissionId: s.row.submissionId!, deliverableUrl: 'https://example.org/report', deliverableHash: `0x${'ab'.repeat(32)}` }
    return api.gigSubmitted.of({
      ...gigFacts(s),
      ...assignment(s),
      ...delivery,
      skillsRequired: s.row.skillsRequired,
      applicantIds: [],
      disputed: false,
      submittedAt: at(),
    })
  },
  cancelled: (
    s: Scenario,
    reason: 'withdrawn' | 'expired' | 'deadline_missed' = 'withdrawn',
    from: 'open' | 'assigned' | 'pending_validation' = 'open',
  ) => api.gigCancelled.of({ ...gigFacts(s), ...assignment(s), reason, from, cancelledAt: at() }),
  completed: (s: Scenario) =>
    api.gigCompleted.of({ ...gigFacts(s), ...assignment(s), skillsRequired: [], funded: true, reason: 'verdict', completedAt: at() }),
  resolved: (s: Scenario, verdict: 'approved' | 'rejected', extra: Partial<api.PayloadOf<typeof api.validationResolved>> = {}) =>
    api.validationResolved.of({
      ...validation(s),
      ...tally(verdict === 'approved'),
      submissionId: randomUUID(),
      verdict,
      frozen: false,
      disputeReason: null,
      winners: [],
      rewardPerValidator: 100_000n,
      settleAfter: null,
      appealUntil: null,
      resolvedAt: at(),
      ...extra,
    }),
  frozen: (s: Scenario, extra: Partial<api.PayloadOf<typeof api.slashFrozen>> = {}) =>
    api.slashFrozen.of({
      ...validation(s),
      weak: false,
      signals: ['new_account_cluster'],
      reason: 'New account cluster',
      appealUntil: at(48 * api.hourMs),
      ...extra,
    }),
  expired: (s: Scenario, extra: Partial<api.PayloadOf<typeof api.validationExpired>> = {}) =>
    api.validationExpired.of({
      ...validation(s),
      ...tally(false),
      submissionId: randomUUID(),
      round: 2,
      final: true,
      thresholdRaised: false,
      nextValidationId: null,
      expiredAt: at(),
      ...extra,
    }),
  appealFiled: (s: Scenario, appealId: string, oracleAssisted = false) =>
    api.appealFiled.of({ ...validation(s), appealId, appealOf: s.validationId, oracleAssisted, expiresAt: at(72 * api.hourMs) }),
  appealClosed: (s: Scenario, appealId: string, outcome: 'won' | 'lost' | 'expired', applySlash = false) =>
    api.appealClosed.of({
      ...validation(s),
      appealId,
      appealOf: s.validationId,
      outcome,
      applySlash,
      approvals: 3,
      rejections: 2,
      approvalPct: 60,
      weak: false,
      closedAt: at(),
    }),
}

const validation = (s: Scenario) => ({
  validationId: s.validationId,
  gigId: s.gigId,
  jobId: null,
  title: s.row.gigTitle,
  posterId: s.poster.id,
  assigneeId: s.worker.id,
  budget: s.amount,
  chain: s.chain,
  round: 1,
  appealOf: null,
  weak: false,
})
const tally = (approved: boolean) => ({
  candidateCount: 3,
  threshold: 2,
  weak: false,
  oracleAssisted: false,
  panel: [],
  votes: [1, 2].map(() => ({ voterId: randomUUID(), vote: approved ? ('approve' as const) : ('reject' as const) })),
  approvals: approved ? 2 : 0,
  rejections: approved ? 0 : 2,
  approvalPct: approved ? 100 : 0,
})

export const lockFunds = (harness: Harness, { gigId, amount, poster }: Scenario, headers: Record<string, string> = {}) =>
  harness.platform.call('POST', '/api/escrow/create', { body: { gigId, amount: Number(amount) / 1e6 }, headers: { ...poster.headers, ...headers } })

export const escrowOf = async (harness: Harness, gigId: string) => (await harness.platform.call('GET', `/api/escrow/${gigId}`)).body

export const untilStatus = (harness: Harness, gigId: string, status: string) =>
  until(`the escrow is ${status}`, async () => {
    const escrow = await escrowOf(harness, gigId)
    return escrow.status === status && escrow
  })

/** A gig that is locked, assigned and delivered. */
export async function deliveredGig(harness: Harness, options: Parameters<typeof newGig>[1] = {}): Promise<Scenario> {
  const scenario = await newGig(harness, options)
  await harness.platform.publish(eventOf.posted(scenario))
  await lockFunds(harness, scenario)
  await harness.platform.publish(eventOf.assigned(scenario))
  await harness.platform.publish(eventOf.submitted(scenario))
  await until(
    'the delivery is noted',
    async () =>
      (
        await harness.platform
          .service('escrow')
          .platform.db.connection.collection<{ _id: string; delivery: object | null }>('escrows')
          .findOne({ _id: scenario.gigId })
      )?.delivery,
  )
  return scenario
}

/** A validation as the swarm's own row has it. */
export const validationRow = (s: Scenario, more: Partial<api.ValidationRow> = {}): api.ValidationRow => ({
  validationId: s.validationId,
  gigId: s.gigId,
  jobId: null,
  submissionId: randomUUID(),
  title: s.row.gigTitle,
  posterId: s.poster.id,
  assigneeId: s.worker.id,
  budget: String(s.amount),
  chain: s.chain,
  round: 1,
  parentValidationId: null,
  appealOf: null,
  nextValidationId: null,
  status: 'pending',
  candidateCount: 3,
  threshold: 2,
  weak: false,
  oracleAssisted: false,
  frozen: false,
  disputeReason: null,
  panel: [],
  votes: [],
  approvals: 0,
  rejections: 0,
  approvalPct: 0,
  expiresAt: at(),
  resolvedAt: null,
  settleAfter: null,
  appealUntil: null,
  version: 1,
  ...more,
})
