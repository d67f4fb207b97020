import { bondWalletChanged, dayMs, type escrowApi, refuse, reputationApi, usd } from '@carapace/api'
import { isProven, toChecksum } from '@carapace/chain'
import { type Handlers, readBack, reply, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { type Bond, lockedOf, payoutAddress, statusOf, tierOf } from '../bond/bond.ts'
import { bondDecision } from '../bond/bond-decision.ts'
import { eventOutcome } from '../bond/bond-event-status.ts'
import { shownContractOf } from '../bond/bound-contract.ts'
import { bondOf, changeBond } from '../bond/change-bond.ts'
import { readBackProfile } from '../bond/read-back-profile.ts'
import { depositBond, lockBond, outcomeOf, withdrawBond } from '../bond/requests/bond-operations.ts'
import { endLock } from '../bond/requests/end-lock.ts'
import { statisticsOf } from '../bond/statistics.ts'
import { bondView, eventView } from '../bond/views.ts'
import type { Parts } from '../parts.ts'
import { closeBondLock } from '../slash/close-bond-lock.ts'
import type { Slash } from '../slash/slash.ts'
import { reverseSlash, slashBond } from '../slash/slash-bond.ts'
import { slashView } from '../slash/views.ts'

const view = async (parts: Parts, bond: Stored<Bond>) => {
  const { components } = await parts.performances.of(bond.id)
  return bondView(bond, { bondReliability: components.bondReliability, ...shownContractOf(parts, bond) }, parts.clock.now())
}

const withState = async (parts: Parts, agentId: string) => {
  const shown = await view(parts, await bondOf(parts, agentId))
  return { ...shown, bonded: shown.bondStatus === 'BONDED' }
}

/** The answer of a deposit or withdrawal: done, or under way with 202. @throws CONFLICT when the chain refused it: nothing was moved */
async function changed(parts: Parts, agentId: string, id: string, waitMs: number) {
  const ended = await outcomeOf(parts, agentId, id, waitMs)
  if (ended === 'failed') refuse('CONFLICT', undefined, { message: 'The transaction failed on chain; nothing was moved' })
  // it is carried out: a read that fails refuses nothing
  return (await unlessPassing(changeView(parts, agentId, id))) ?? reply(202, { status: 'pending', statusUrl: statusUrl(agentId, id) })
}

async function changeView(parts: Parts, agentId: string, id: string) {
  const bond = await bondOf(parts, agentId)
  const event = await parts.bondHistory.current(id)
  await readBackProfile(parts, event)
  if (event) return { bond: await view(parts, bond), event: eventView(event), txHash: event.txHash }
  const result = (await eventOutcome(parts, agentId, id)) ?? refuse('NOT_FOUND', { resource: 'bond event' })
  return reply(202, { bond: await view(parts, bond), ...result, statusUrl: statusUrl(agentId, id) })
}

const statusUrl = (agentId: string, id: string): string => `/api/bond/${agentId}/events/${id}`

export const bondHandlers = (parts: Parts) =>
  ({
    getBondStatus: ({ params }) => withState(parts, params.agentId),

    getBondStatusByWallet: async ({ params }) => {
      const agent = (await parts.agents.byWallet(params.wallet)) ?? refuse('NOT_FOUND', { resource: 'agent' })
      return withState(parts, agent.id)
    },

    getBondEvent: async ({ params }) => (await eventOutcome(parts, params.agentId, params.id)) ?? refuse('NOT_FOUND', { resource: 'bond event' }),

    depositBond: async ({ body, caller, context, operationId, waitMs }) => {
      const { amount, walletAddress, authorization } = body
      if (walletAddress !== undefined && walletAddress !== caller.wallet.toLowerCase()) refuse('WALLET_MISMATCH', { walletAddress: caller.wallet })
      const id = await depositBond(parts, { caller, amount, operationId, authorization, isProven: isProven(context) })
      return changed(parts, caller.agentId, id, waitMs())
    },

    withdrawBond: async ({ body, caller, operationId, waitMs }) => {
      const id = await withdrawBond(parts, { caller, amount: body.amount, operationId }, body.walletAddress)
      return changed(parts, caller.agentId, id, waitMs())
    },

    lockBond: async ({ params, body, waitMs }) => {
      const gig = await parts.gigNow(body.gigId)
      const amount = BigInt(gig.bondRequired)
      if (amount === 0n) refuse('INVALID_STATE', { state: 'no bond required' }, { message: 'The gig requires no bond' })
      const locked = await lockBond(parts, params.agentId, gig.gigId, amount)
      const { lockId } = locked.locks.find(({ gigId }) => gigId === gig.gigId)!
      const ended = await outcomeOf(parts, params.agentId, lockId, waitMs())
      const bond = (await unlessPassing(parts.bonds.need(params.agentId))) ?? locked
      const lock = bond.locks.find(({ gigId }) => gigId === gig.gigId)
      if (!lock) refuse('CONFLICT', undefined, { message: 'The lock failed on chain; nothing was moved' })
      const shown = await unlessPassing(view(parts, bond))
      if (!shown) return reply(202, { status: 'pending', statusUrl: statusUrl(params.agentId, lockId) })
      const answer = { bond: shown, lock: { gigId: lock.gigId, amount: usd(lock.amount), at: lock.at.toISOString() } }
      return ended && lock.stage !== 'locking' ? answer : reply(202, { ...answer, statusUrl: statusUrl(params.agentId, lockId) })
    },

    unlockBond: async ({ params, body, waitMs }) => {
      const { agentId } = params
      const isHeld = (bond: Bond) => bond.locks.some(({ gigId }) => gigId === body.gigId)
      const present = await bondOf(parts, agentId)
      const wasUnlocked = !isHeld(present) && (await parts.bondHistory.wasUnlocked(agentId, body.gigId))
      if (!isHeld(present) && !wasUnlocked) refuse('NOT_FOUND', { resource: 'lock' })
      const { status } = await parts.gigNow(body.gigId)
      if (status !== 'completed' && status !== 'cancelled') refuse('INVALID_STATE', { state: status, allowed: ['completed', 'cancelled'] })
      if (wasUnlocked) return { bond: await view(parts, present) }
      // what the end of the gig means for its lock may not have been followed yet: a slash comes first
      await closeBondLock(parts, body.gigId)
      const requested = await changeBond(parts, agentId, bond => endLock(bond, body.gigId, parts.newId()))
      const unlocked = async () => {
        const bond = await unlessPassing(parts.bonds.need(agentId))
        return !bond || isHeld(bond) ? undefined : bond
      }
      const done = await parts.wait('bonds', agentId, unlocked, waitMs())
      const shown = await unlessPassing(view(parts, done ?? requested))
      if (done && shown) return { bond: shown }
      // a lock that is not on chain yet has no unlock: the bond itself shows when it has ended
      const unlockId = requested.locks.find(({ gigId }) => gigId === body.gigId)?.unlockId
      const url = unlockId ? statusUrl(agentId, unlockId) : `/api/bond/${agentId}/status`
      return reply(202, { ...(shown ? { bond: shown } : {}), statusUrl: url })
    },

    setBondWallet: async ({ body, caller }) => {
      const now = parts.clock.now()
      const address = toChecksum(body.walletAddress)
      const effectiveAt = new Date(now.getTime() + dayMs)
      await changeBond(parts, caller.agentId, bond =>
        bondDecision(
          { ...bond, payout: { address, effectiveAt, before: payoutAddress(bond, now) } },
          { events: [bondWalletChanged.of({ agentId: caller.agentId, walletAddress: address, effectiveAt: effectiveAt.toISOString() })] },
        ),
      )
      return { walletAddress: address, effectiveAt: effectiveAt.toISOString() }
    },

    listBondHistory: async ({ params, query }) => {
      const agent = await parts.agents.need(params.id)
      const { items, total } = await parts.bondHistory.page(agent.id, query)
      return { events: items.map(eventView), total, ...query }
    },

    slashBond: async ({ params, body, caller, operationId, waitMs }) => {
      const id = await slashBond(parts, { agentId: params.agentId, ...body, by: caller.kind, operationId })
      const ended = await outcomeOf(parts, params.agentId, id, waitMs())
      if (ended === 'failed') refuse('CONFLICT', undefined, { message: 'The slash failed on chain; nothing was moved' })
      return slashAnswer(parts, { id, agentId: params.agentId }, ended === 'done' ? undefined : id)
    },

    reverseSlash: async ({ params, body, operationId, waitMs }) => {
      const row = await reverseSlash(parts, params.id, body.reason, operationId)
      const reversed = async () => ((await unlessPassing(parts.slashes.need(row.id)))?.status === 'REVERSED' ? true : undefined)
      const done = await parts.wait('slashes', row.id, reversed, waitMs())
      const bond = await unlessPassing(parts.bonds.need(row.agentId))
      const move = bond?.moves.find(({ slashId, type }) => slashId === row.id && type === 'SLASH_REVERSED')
      return slashAnswer(parts, row, done ? undefined : (move?.id ?? row.id))
    },
  }) satisfies Handlers<typeof escrowApi>

/**
 * The slash is carried out: a read that fails refuses nothing.
 * @param pendingId the bond event that is still under way
 */
const slashAnswer = async (parts: Parts, slash: Pick<Slash, 'id' | 'agentId'>, pendingId: string | undefined) =>
  (await unlessPassing(slashShown(parts, slash.id, pendingId))) ??
  reply(202, { status: 'pending', statusUrl: statusUrl(slash.agentId, pendingId ?? slash.id) })

async function slashShown(parts: Parts, id: string, pendingId: string | undefined) {
  const slash = await parts.slashes.need(id)
  if (pendingId === undefined)
    await readBack(parts.peers, 'reputation', reputationApi.internal.getListedSlash, { id }, ({ status }) => status === slash.status)
  const event = await parts.bondHistory.current(id)
  if (pendingId === undefined) await readBackProfile(parts, event)
  const bond = await view(parts, await parts.bonds.need(slash.agentId))
  const answer = { slash: { ...slashView(slash), txHash: slash.txHash ?? event?.txHash ?? null }, bond }
  return pendingId === undefined ? answer : reply(202, { ...answer, statusUrl: statusUrl(slash.agentId, pendingId) })
}

export const bondReadHandlers = (parts: Parts) =>
  ({
    syncBondPerformance: async ({ params }) => {
      await parts.agents.need(params.agentId)
      const { components, fusedScore, totalGigsCompleted } = await parts.performances.sync(params.agentId)
      const { gigPerformance: performanceScore, bondReliability } = components
      return { agentId: params.agentId, performanceScore, fusedScore, bondReliability, totalGigsCompleted, syncedAt: parts.clock.now().toISOString() }
    },

    getBondPerformance: async ({ params }) => {
      await parts.agents.need(params.agentId)
      const { components, history } = await parts.performances.of(params.agentId)
      const entries = history.map(({ performanceScore, at }) => ({ performanceScore, at: at.toISOString() }))
      return { agentId: params.agentId, performanceScore: components.gigPerformance, components, history: entries }
    },

    checkBondEligibility: async ({ params, query }) => {
      const bond = await bondOf(parts, params.agentId)
      const required = query.gigId ? BigInt((await parts.gigNow(query.gigId)).bondRequired) : (query.required ?? 0n)
      const isHeld = query.gigId !== undefined && bond.locks.some(({ gigId }) => gigId === query.gigId)
      const eligible = isHeld || bond.free >= required
      const total = bond.free + lockedOf(bond)
      return {
        agentId: params.agentId,
        eligible,
        required: usd(required),
        availableBond: usd(bond.free),
        bondTier: tierOf(total),
        bondStatus: statusOf(total),
        reason: eligible ? null : `Available bond ${usd(bond.free)} is below the required ${usd(required)}`,
      }
    },

    getBondStatistics: () => statisticsOf(parts),

    listBonds: async ({ query }) => {
      const { items, total } = await parts.bonds.page({}, query, { total: -1, _id: -1 })
      const agents = await parts.agents.many(items.map(({ id }) => id))
      const bonds = items.map(bond => {
        const held = lockedOf(bond)
        return {
          agentId: bond.id,
          handle: agents.get(bond.id)?.handle ?? null,
          walletAddress: bond.wallet,
          bondTier: tierOf(bond.free + held),
          totalBonded: usd(bond.free + held),
          availableBond: usd(bond.free),
          lockedBond: usd(held),
        }
      })
      return { bonds, total, count: total, ...query }
    },
  }) satisfies Handlers<typeof escrowApi>
