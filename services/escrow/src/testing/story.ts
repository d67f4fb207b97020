import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { openGig, type TestAgent } from '@carapace/testing'
import { newAgent, until, usdc, type World } from './world.ts'

/** A gig with its parties, told step by step as the other services would. */
export interface Story {
  gigId: string
  poster: TestAgent
  worker: TestAgent
  amount: bigint
  chain: api.Chain
  validationId: string
  row: api.GigRow
}

const at = (ms = 0) => new Date(Date.now() + ms).toISOString()

/** A posted gig whose poster has the money and has allowed the contract to take it. */
export async function newGig(world: World, { budget = 40, bond = 0, chain = 'BASE_SEPOLIA' as api.Chain } = {}): Promise<Story> {
  const [poster, worker] = await Promise.all([newAgent(world), newAgent(world)])
  const amount = usdc(budget)
  const gigId = randomUUID()
  world.balances.set(`${chain}/${poster.wallet}`, usdc(100_000))
  world.allowances.set(`${chain}/${poster.wallet}`, usdc(100_000))
  const facts = { budget: String(amount), bondRequired: String(usdc(bond)), chain, skillsRequired: ['solidity'] }
  const row = openGig({ gigId, posterId: poster.id, ...facts })
  world.gigs.set(gigId, row)
  return { gigId, poster, worker, amount, chain, validationId: randomUUID(), row }
}

const gigFacts = ({ gigId, row, amount, chain }: Story) => ({ gigId, gigTitle: row.gigTitle, posterId: row.posterId, budget: amount, chain })
const who = ({ worker }: Story) => ({ assigneeId: worker.id, crewId: null, memberIds: [] })

/** The events of a story, as drafts: the marketplace's row follows at once, as at the owner. */
export const told = {
  posted: (s: Story) =>
    api.gigPosted.of({
      ...gigFacts(s),
      status: 'open',
      skillsRequired: s.row.skillsRequired,
      bondRequired: BigInt(s.row.bondRequired),
      deadlineHours: 48,
      crewGig: false,
      createdAt: at(),
    }),
  assigned: (s: Story, feeBp = 300) => {
    Object.assign(s.row, { status: 'assigned', assigneeId: s.worker.id, feeBp, assignedAt: at(), deadlineAt: at(48 * api.hourMs) })
    const { skillsRequired, bondRequired, deadlineAt } = s.row
    return api.gigAssigned.of({
      ...gigFacts(s),
      ...who(s),
      by: 'application',
      skillsRequired,
      feeBp,
      bondRequired: BigInt(bondRequired),
      assignedAt: at(),
      deadlineAt: deadlineAt!,
    })
  },
  submitted: (s: Story) => {
    Object.assign(s.row, { status: 'pending_validation', submissionId: randomUUID(), submittedAt: at() })
    const delivery = { submissionId: s.row.submissionId!, deliverableUrl: 'https://example.org/report', deliverableHash: `0x${'ab'.repeat(32)}` }
    return api.gigSubmitted.of({
      ...gigFacts(s),
      ...who(s),
      ...delivery,
      skillsRequired: s.row.skillsRequired,
      applicantIds: [],
      disputed: false,
      submittedAt: at(),
    })
  },
  cancelled: (
    s: Story,
    reason: 'withdrawn' | 'expired' | 'deadline_missed' = 'withdrawn',
    from: 'open' | 'assigned' | 'pending_validation' = 'open',
  ) => api.gigCancelled.of({ ...gigFacts(s), ...who(s), reason, from, cancelledAt: at() }),
  completed: (s: Story) => api.gigCompleted.of({ ...gigFacts(s), ...who(s), skillsRequired: [], funded: true, reason: 'verdict', completedAt: at() }),
  resolved: (s: Story, verdict: 'approved' | 'rejected', extra: Partial<api.PayloadOf<typeof api.validationResolved>> = {}) =>
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
  frozen: (s: Story, extra: Partial<api.PayloadOf<typeof api.slashFrozen>> = {}) =>
    api.slashFrozen.of({
      ...validation(s),
      weak: false,
      signals: ['new_account_cluster'],
      reason: 'New account cluster',
      appealUntil: at(48 * api.hourMs),
      ...extra,
    }),
  expired: (s: Story, extra: Partial<api.PayloadOf<typeof api.validationExpired>> = {}) =>
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
  appealFiled: (s: Story, appealId: string, oracleAssisted = false) =>
    api.appealFiled.of({ ...validation(s), appealId, appealOf: s.validationId, oracleAssisted, expiresAt: at(72 * api.hourMs) }),
  appealClosed: (s: Story, appealId: string, outcome: 'won' | 'lost' | 'expired', applySlash = false) =>
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

const validation = (s: Story) => ({
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

export const lockFunds = (world: World, { gigId, amount, poster }: Story, headers: Record<string, string> = {}) =>
  world.platform.call('POST', '/api/escrow/create', { body: { gigId, amount: Number(amount) / 1e6 }, headers: { ...poster.headers, ...headers } })

export const escrowOf = async (world: World, gigId: string) => (await world.platform.call('GET', `/api/escrow/${gigId}`)).body

export const untilStatus = (world: World, gigId: string, status: string) =>
  until(`the escrow is ${status}`, async () => {
    const escrow = await escrowOf(world, gigId)
    return escrow.status === status && escrow
  })

/** A gig that is locked, assigned and delivered. */
export async function deliveredGig(world: World, options: Parameters<typeof newGig>[1] = {}): Promise<Story> {
  const story = await newGig(world, options)
  await world.platform.publish(told.posted(story))
  await lockFunds(world, story)
  await world.platform.publish(told.assigned(story))
  await world.platform.publish(told.submitted(story))
  await until(
    'the delivery is noted',
    async () =>
      (
        await world.platform
          .service('escrow')
          .platform.db.connection.collection<{ _id: string; delivery: object | null }>('escrows')
          .findOne({ _id: story.gigId })
      )?.delivery,
  )
  return story
}

/** A validation as the swarm's own row tells it. */
export const validationRow = (s: Story, more: Partial<api.ValidationRow> = {}): api.ValidationRow => ({
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
