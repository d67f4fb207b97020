import { type escrowApi, escrowSnapshot, refuse } from '@carapace/api'
import { announceRows, clearingHandlers, doctorHandlers, type Handlers, reply, sagaHandlers } from '@carapace/service'
import { bondOf, changeBond } from '../bond/change-bond.ts'
import { lockBond, outcomeOf } from '../bond/requests/bond-operations.ts'
import { endLock } from '../bond/requests/end-lock.ts'
import { bondRow } from '../bond/views.ts'
import { roundOf } from '../claim/claim.ts'
import { isClaimFinal } from '../claim/is-claim-final.ts'
import { startClaim } from '../claim/pay-claim.ts'
import { explainClearing } from '../clearing.ts'
import { noteVerdict } from '../escrow/verdict-events.ts'
import { decisionRows, escrowRow } from '../escrow/views.ts'
import { quoteFunding } from '../funding/fund-by-payment.ts'
import { isReservationOpen } from '../funding/reservation-use.ts'
import { checks } from '../invariants.ts'
import type { Parts } from '../parts.ts'
import { readSource } from '../reward/ended-money.ts'
import { accrueRewards } from '../reward/fund-reward.ts'
import { slashView } from '../slash/views.ts'

/** Shorter than the caller's own wait, so that it gets an answer and not a time-out. */
const lockWaitMs = 8_000

export const internalHandlers = (parts: Parts) =>
  ({
    getEscrowRow: async ({ params }) => {
      const escrow = await parts.escrows.need(params.gigId)
      return escrow.status === 'none' ? refuse('NOT_FOUND', { resource: 'escrow' }) : escrowRow(escrow)
    },

    listGigDecisions: async ({ body }) => ({ decisions: [...(await parts.escrows.many(body.gigIds)).values()].flatMap(decisionRows) }),

    quoteFunding: ({ body }) => quoteFunding(parts, body),

    getBondRow: async ({ params }) => bondRow(await bondOf(parts, params.agentId)),

    getSlashRow: async ({ params }) => slashView(await parts.slashes.need(params.id)),

    lockBondForGig: async ({ params, body }) => {
      const { gigId } = body
      const requested = await lockBond(parts, params.agentId, gigId, BigInt(body.amount))
      const { lockId } = requested.locks.find(lock => lock.gigId === gigId)!
      const ended = await outcomeOf(parts, params.agentId, lockId, lockWaitMs)
      const lock = (await parts.bonds.need(params.agentId)).locks.find(held => held.gigId === gigId)
      if (!lock) refuse('INVALID_STATE', { state: 'failed' }, { message: 'The bond lock failed on chain' })
      const answer = { amount: String(lock.amount), txHash: lock.onChain.txHash }
      return ended && lock.stage !== 'locking' ? { status: 'confirmed' as const, ...answer } : reply(202, { status: 'pending', ...answer })
    },

    unlockBondForGig: async ({ params }) => {
      const { agentId, gigId } = params
      const isHeld = (await parts.bonds.get(agentId))?.locks.some(lock => lock.gigId === gigId)
      if (!isHeld) return { status: 'none' as const }
      await changeBond(parts, agentId, bond => endLock(bond, gigId, parts.newId()))
      return reply(202, { status: 'pending' })
    },

    payRewardClaim: async ({ body }) => {
      const rewards = body.rewards.map(({ validationId, amount }) => ({ validationId, amount: BigInt(amount) }))
      await startClaim(parts, { ...body, amount: BigInt(body.amount), rewards })
      const claim = await parts.claims.need(body.claimId)
      return {
        status: claim.status,
        round: roundOf(claim),
        version: claim.version,
        txHash: claim.onChain.txHash,
        rewards: claim.rewards.map(({ validationId, amount }) => ({ validationId, amount: String(amount) })),
        isFinal: await isClaimFinal(parts, claim),
      }
    },

    noteVerdict: async ({ body }) => {
      for (const event of body.events) await noteVerdict(parts, event)
      return {}
    },

    getReservationUse: async ({ body }) => ({ isOpen: await isReservationOpen(parts, body) }),

    fundRewards: async ({ body }) => {
      const earned = body.rewards.map(({ validatorId, amount }) => ({ validatorId, amount: BigInt(amount) }))
      await accrueRewards(parts, { ...body, rewards: earned })
      const before = await parts.rewards.need(body.validationId)
      const isWithoutMoney = !before.isFunded && (await readSource(parts, before))
      const { isFunded, shares } = await parts.rewards.need(body.validationId)
      return { isOver: isFunded || isWithoutMoney, rewards: shares.map(({ validatorId, funded }) => ({ validatorId, funded: String(funded) })) }
    },

    announceEscrowsAndBonds: ({ body }) =>
      body.kind === 'escrow'
        ? announceRows(parts, escrowSnapshot, body, parts.escrows, escrowRow, { status: { $ne: 'none' } })
        : announceRows(parts, escrowSnapshot, body, parts.bonds, bondRow),

    ...doctorHandlers(parts, checks),
    ...sagaHandlers(parts),
    ...clearingHandlers(parts, explainClearing),
  }) satisfies Handlers<typeof escrowApi>
