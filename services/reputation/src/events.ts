import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { on, onOutcomes, type Subscription } from '@carapace/service'
import type { Logged } from './facts.ts'
import { giveFeedback } from './feedback.ts'
import { newScore } from './new-score.ts'
import type { Parts } from './parts.ts'
import { record } from './record.ts'
import { followSync } from './sync.ts'

export const events = (parts: Parts): Subscription[] => [
  on(api.agentRegistered, async (payload, event) => {
    await parts.scores.createOnce(payload.agentId, () => ({ state: newScore(payload), events: [] }))
    await record(parts, event, payload.agentId, { type: 'registered' }, { at: payload.registeredAt })
  }),
  on(api.agentUpdated, ({ agentId, handle }) => edit(parts, agentId, doc => (doc.handle === handle ? undefined : { ...doc, handle }))),
  on(api.agentStatusChanged, async ({ agentId, status, wallet }, event) => {
    await edit(parts, agentId, doc => ({ ...doc, status, wallet: wallet ?? '', walletKey: wallet?.toLowerCase() ?? '' }))
    if (status !== 'migrated') await record(parts, event, agentId, { type: status === 'suspended' ? 'suspended' : 'reinstated' })
  }),
  on(api.agentMigrated, async ({ sourceAgentId, targetAgentId }, event) => {
    await edit(parts, targetAgentId, doc => (doc.sources.includes(sourceAgentId) ? undefined : { ...doc, sources: [...doc.sources, sourceAgentId] }))
    await record(parts, event, targetAgentId, { type: 'inherited', from: sourceAgentId })
    await record(parts, event, sourceAgentId, { type: 'migrated', to: targetAgentId })
  }),
  on(api.agentOnchainConfirmed, async ({ agentId, chain, tokenId, txHash, confirmedAt }, event) => {
    await edit(parts, agentId, doc => ({
      ...doc,
      syncDueAt: doc.syncDueAt ?? parts.clock.now(),
      chains: { ...doc.chains, [chain]: { ...doc.chains[chain], registered: true, tokenId } },
    }))
    await record(parts, event, agentId, { type: 'onchain_confirmed', chain }, { at: confirmedAt, txHash })
  }),
  on(api.heartbeatRecorded, async ({ agentId, recordedAt }, event) => {
    const isSeen = (log: readonly Logged[]) =>
      log.some(({ type, at, ...fact }) => type === 'seen' && fact.agentId === agentId && Date.parse(recordedAt) - at.getTime() < api.dayMs)
    await record(parts, event, agentId, { type: 'seen' }, { at: recordedAt, unless: isSeen })
  }),
  on(api.skillVerified, ({ agentId, skill }, event) => record(parts, event, agentId, { type: 'skill_verified', skill }, { key: skill })),
  on(api.escrowReleased, (payload, event) => settled(parts, payload, event, `/api/trust-receipts/gigs/${payload.gigId}`)),
  on(api.escrowRefunded, async ({ posterId, assigneeId, gigId, failure, refundedAt, txHash, reason, disputed }, event) => {
    if (assigneeId === null) return
    if (failure !== null)
      await record(parts, event, assigneeId, { type: 'failed', with: posterId, reason: failure, gigId }, { at: refundedAt, txHash })
    if (disputed || reason === 'dispute')
      await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: false, assigneeLost: failure === 'dispute_lost' })
  }),
  on(api.escrowRestated, async ({ posterId, assigneeId, gigId, status, unpaid, txHash, settledAt }, event) => {
    const type = unpaid ? 'settlement_undone' : status === 'released' ? 'settled_again' : undefined
    for (const agentId of [posterId, assigneeId])
      if (type && agentId !== null) await record(parts, event, agentId, { type, gigId }, { txHash, ...(settledAt === null ? {} : { at: settledAt }) })
  }),
  on(api.escrowDisputed, async ({ posterId, assigneeId, gigId, disputedAt }, event) => {
    for (const agentId of [posterId, assigneeId])
      if (agentId !== null) await record(parts, event, agentId, { type: 'dispute_opened', gigId }, { at: disputedAt, key: gigId })
  }),
  on(api.escrowFailed, async ({ posterId, assigneeId, gigId, disputed }, event) => {
    if (disputed && assigneeId !== null) await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: false, assigneeLost: false })
  }),
  on(api.slashRecorded, async ({ slashId, agentId, status, amount, changedAt, createdAt, txHash, ...row }, event) => {
    const scores = await record(
      parts,
      event,
      agentId,
      { type: 'slash', slashId, status, amount: String(amount) },
      { at: changedAt, txHash, key: `${slashId}:${status}` },
    )
    const shown = status === 'APPLIED' ? { scoreBefore: scores.before, scoreAfter: scores.after } : {}
    await parts.slashes.apply(
      slashId,
      {
        agentId,
        gigId: row.gigId,
        gigTitle: row.gigTitle,
        gigBudget: row.gigBudget,
        validationId: row.validationId,
        amount,
        status,
        reason: row.reason,
        txHash,
        createdAt: new Date(createdAt),
        ...shown,
      },
      event,
    )
  }),
  ...jobEvents(parts),
  ...bondEvents(parts),
  ...voteEvents(parts),
  ...socialEvents(parts),
  on(api.crewChanged, async ({ crewId, members, dissolved }, event) => {
    const joined = dissolved ? [] : members.filter(member => member.status === 'joined').map(member => member.agentId)
    for (const agentId of joined)
      await record(parts, event, agentId, { type: 'crew_mates', crewId, mates: joined.filter(other => other !== agentId) }, { key: crewId })
  }),
  ...onOutcomes({
    'score.sync': {
      confirmed: ({ opKey, network, round, seq, txHash, blockNumber }) =>
        followSync(parts, opKey, network, { is: 'confirmed', round, seq, txHash, blockNumber }),
      failed: ({ opKey, network, round, seq, code, txHash = null }) =>
        followSync(parts, opKey, network, { is: 'failed', round, seq, txHash, error: code }),
    },
  }),
]

async function edit(
  parts: Parts,
  agentId: string,
  change: (doc: Awaited<ReturnType<Parts['scores']['need']>>) => Parameters<Parts['scores']['create']>[0] | undefined,
): Promise<void> {
  try {
    await parts.scores.change(agentId, doc => {
      const state = change(doc)
      return state === undefined ? undefined : { state, events: [] }
    })
  } catch (error) {
    throw error instanceof api.Refusal && error.code === 'NOT_FOUND' ? new Retry(`agent ${agentId} is not known yet`) : error
  }
}

type Released = Pick<
  api.PayloadOf<typeof api.escrowReleased>,
  | 'posterId'
  | 'assigneeId'
  | 'gigId'
  | 'chain'
  | 'fee'
  | 'net'
  | 'creditable'
  | 'settledAt'
  | 'txHash'
  | 'posterScore'
  | 'assigneeScore'
  | 'afterDispute'
>

/** A payment counts for both sides; the other's score is the one as of the settlement. */
async function settled(parts: Parts, payload: Released, event: api.CloudEvent, receiptPath: string): Promise<void> {
  const { posterId, assigneeId, gigId, fee, net, creditable, settledAt, txHash, posterScore, assigneeScore, afterDispute } = payload
  const common = { fee: String(fee), gigId, creditable } as const
  const given = { at: settledAt, txHash }
  await Promise.all([
    record(
      parts,
      event,
      assigneeId,
      { type: 'settled', role: 'assignee', with: posterId, theirScore: posterScore, net: String(net), ...common },
      given,
    ),
    record(parts, event, posterId, { type: 'settled', role: 'poster', with: assigneeId, theirScore: assigneeScore, net: '0', ...common }, given),
  ])
  if (afterDispute) await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: true, assigneeLost: false })
  if (creditable) await giveFeedback(parts, { ...payload, receiptPath })
}

async function endDispute(
  parts: Parts,
  event: api.CloudEvent,
  end: { gigId: string; posterId: string; assigneeId: string; posterLost: boolean; assigneeLost: boolean },
): Promise<void> {
  await record(parts, event, end.posterId, { type: 'dispute_ended', gigId: end.gigId, lost: end.posterLost })
  await record(parts, event, end.assigneeId, { type: 'dispute_ended', gigId: end.gigId, lost: end.assigneeLost })
}

/** A job counts as a gig does, under its own id (behaviour 17). */
function jobEvents(parts: Parts): Subscription[] {
  return [
    on(api.jobSettled, ({ jobId, at, ...job }, event) =>
      settled(parts, { ...job, gigId: jobId, settledAt: at, txHash: job.txHash! }, event, `/api/commerce/jobs/${jobId}/receipt`),
    ),
    on(api.jobRejected, async ({ posterId, assigneeId, jobId, creditable, afterDispute, at, txHash }, event) => {
      const reason = afterDispute ? ('dispute_lost' as const) : ('rejected' as const)
      if (creditable) await record(parts, event, assigneeId, { type: 'failed', with: posterId, reason, gigId: jobId }, { at, txHash })
      if (afterDispute) await endDispute(parts, event, { gigId: jobId, posterId, assigneeId, posterLost: false, assigneeLost: creditable })
    }),
    on(api.jobCancelled, async ({ posterId, assigneeId, jobId, reason, at, txHash }, event) => {
      if (assigneeId !== null && reason === 'deadline_missed')
        await record(parts, event, assigneeId, { type: 'failed', with: posterId, reason, gigId: jobId }, { at, txHash })
    }),
    on(api.jobDisputed, async ({ posterId, assigneeId, jobId, disputedBy, at }, event) => {
      if (disputedBy === null) return
      for (const agentId of [posterId, assigneeId]) await record(parts, event, agentId, { type: 'dispute_opened', gigId: jobId }, { at, key: jobId })
    }),
    on(api.jobCorrected, async ({ posterId, assigneeId, jobId, status, txHash, unpaid, at }, event) => {
      const isEndedOtherwise = unpaid && (status === 'rejected' || status === 'cancelled')
      const type = isEndedOtherwise ? 'settlement_undone' : status === 'settled' ? 'settled_again' : undefined
      for (const agentId of [posterId, assigneeId])
        if (type && agentId !== null) await record(parts, event, agentId, { type, gigId: jobId }, { txHash, at })
    }),
  ]
}

function bondEvents(parts: Parts): Subscription[] {
  type Bond = { agentId: string; totalBonded: bigint; changedAt: string; txHash: string | null }
  const recordBond =
    (change: 'deposited' | 'withdrawn' | 'slashed' | 'reversed') =>
    ({ agentId, totalBonded, changedAt, txHash }: Bond, event: api.CloudEvent) =>
      record(parts, event, agentId, { type: 'bond', total: String(totalBonded), change }, { at: changedAt, txHash })
  return [
    on(api.bondDeposited, recordBond('deposited')),
    on(api.bondWithdrawn, recordBond('withdrawn')),
    on(api.bondSlashed, recordBond('slashed')),
    on(api.slashReversed, recordBond('reversed')),
    on(api.bondUnlocked, ({ agentId, gigId, clean, changedAt }, event) =>
      record(parts, event, agentId, { type: 'bond_lock_ended', gigId, clean }, { at: changedAt }),
    ),
  ]
}

function voteEvents(parts: Parts): Subscription[] {
  const recordRequests = async (agentIds: readonly string[], validationId: string, event: api.CloudEvent) => {
    await Promise.all(agentIds.map(agentId => record(parts, event, agentId, { type: 'vote_asked', validationId })))
  }
  return [
    on(api.validationOpened, ({ panel, validationId }, event) => recordRequests(panel, validationId, event)),
    on(api.panelChanged, ({ added, validationId }, event) => recordRequests(added, validationId, event)),
    on(api.validationSuperseded, async ({ panel, votes, validationId, supersededAt }, event) => {
      const voters = new Set(votes.map(({ voterId }) => voterId))
      const excused = panel.filter(agentId => !voters.has(agentId))
      await Promise.all(excused.map(agentId => record(parts, event, agentId, { type: 'vote_excused', validationId }, { at: supersededAt })))
    }),
    on(api.voteRecorded, ({ voterId, validationId, castAt }, event) =>
      record(parts, event, voterId, { type: 'vote_cast', validationId }, { at: castAt }),
    ),
    on(api.validationResolved, async ({ votes, verdict, validationId, weak, resolvedAt }, event) => {
      if (weak) return
      const winning = verdict === 'approved' ? 'approve' : 'reject'
      const judge = ({ voterId, vote }: (typeof votes)[number]) =>
        record(parts, event, voterId, { type: 'vote_judged', validationId, withVerdict: vote === winning }, { at: resolvedAt })
      await Promise.all(votes.map(judge))
    }),
  ]
}

function socialEvents(parts: Parts): Subscription[] {
  return [
    on(api.agentFollowed, async ({ followId, followedAgentId, followerAgentId, followingCount, at }, event) => {
      const follower = (await parts.scores.get(followerAgentId)) ?? unknownAgent(followerAgentId)
      const fact = { type: 'followed', by: followerAgentId, theirScore: follower.fusedScore, theirFollows: followingCount } as const
      await record(parts, event, followedAgentId, fact, { at, key: followId })
    }),
    on(api.agentUnfollowed, ({ followId, followedAgentId, followerAgentId, at }, event) =>
      record(parts, event, followedAgentId, { type: 'unfollowed', by: followerAgentId }, { at, key: followId }),
    ),
    on(api.reviewPublished, ({ reviewId, revieweeId, reviewerId, rating, at }, event) =>
      record(parts, event, revieweeId, { type: 'reviewed', by: reviewerId, rating }, { at, key: reviewId }),
    ),
  ]
}

const unknownAgent = (agentId: string): never => {
  throw new Retry(`agent ${agentId} is not known yet`)
}
