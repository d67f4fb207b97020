import { type chains, type escrowApi, type FundingOptions, limits, marketplaceApi, Refusal, refuse, refuseField, usd } from '@carapace/api'
import { isProven, perChain } from '@carapace/chain'
import { type Handlers, reply, transactionOf, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Escrow } from '../escrow/escrow.ts'
import { directLockOf, directLockSeen } from '../escrow/lock/direct-lock.ts'
import { type LockRequest, lockEscrow, lockOutcome, refuseSecond } from '../escrow/lock/lock-escrow.ts'
import { readBackGig } from '../escrow/read-back-gig.ts'
import { disputeEscrow } from '../escrow/settlement/dispute-escrow.ts'
import { needEscrow } from '../escrow/settlement/need-escrow.ts'
import { releaseEscrow } from '../escrow/settlement/release-escrow.ts'
import { resolveDispute } from '../escrow/settlement/resolve-dispute.ts'
import { escrowView, releaseView } from '../escrow/views.ts'
import { lockOrReturn } from '../funding/fund-by-payment.ts'
import type { Parts } from '../parts.ts'

/** The escrow of a gig as everybody sees it. @throws NOT_FOUND */
export const shownEscrow = async (parts: Parts, gigId: string) => escrowView(await needEscrow(parts, gigId), parts.networks, parts.clock.now())

/** Locks and waits for the confirmation as long as an answer may last; undefined when it is not there by then. */
async function lockAndWait(
  parts: Parts,
  request: LockRequest,
  waitMs: () => number,
  without: Parameters<typeof lockEscrow>[2],
): Promise<{ done: boolean; escrow: Stored<Escrow> }> {
  const started = await lockEscrow(parts, request, without)
  const { gigId, operationId } = request
  const done = await parts.wait('escrows', gigId, () => lockOutcome(parts, gigId, operationId), waitMs())
  if (done) await readBackGig(parts, done)
  return { done: done !== undefined, escrow: done ?? started }
}

/** Waits until a settlement that is under way has its transaction. It is ordered: an error of a passing cause refuses nothing. */
async function settledOrNot(parts: Parts, escrow: Stored<Escrow>, waitMs: number): Promise<Stored<Escrow>> {
  const settled = async () => {
    const present = await unlessPassing(parts.escrows.need(escrow.id))
    return present?.settlement?.onChain.txHash || present?.settlement?.retryAt ? present : undefined
  }
  const ended = await parts.wait('escrows', escrow.id, settled, waitMs)
  return ended ?? (await unlessPassing(parts.escrows.need(escrow.id))) ?? escrow
}

const statusUrl = (gigId: string): string => `/api/escrow/${gigId}`

class Unfunded extends Refusal {
  readonly options: FundingOptions
  constructor(options: FundingOptions) {
    super('FUNDS_REQUIRED', { details: { options } })
    this.options = options
  }
}

export const escrowHandlers = (parts: Parts) =>
  ({
    createEscrow: async ({ body, caller, context, operationId, waitMs }) => {
      const { done, escrow } = await lockAndWait(
        parts,
        { ...body, authorization: body.authorization, caller, isProven: isProven(context), operationId },
        waitMs,
        (_gig, options) => new Refusal('FUNDS_REQUIRED', { details: { options } }),
      )
      const answer = { escrow: escrowView(escrow, parts.networks, parts.clock.now()), txHash: escrow.lock?.onChain.txHash ?? null }
      return done ? answer : reply(202, { ...answer, statusUrl: statusUrl(body.gigId) })
    },

    fundEscrow: async ({ body, caller, context, operationId, waitMs }) => {
      const { gigId, agentId, amount, authorization } = body
      if (context.payment) return fundedByPayment(parts, gigId, context.payment, waitMs)
      if (caller?.kind !== 'agent') return refuseUnfunded(parts, gigId)
      if (caller.agentId !== agentId) refuse('FORBIDDEN', { field: 'agentId' }, { message: "agentId must be the caller's agent id" })
      try {
        const request = { gigId, amount, authorization, caller, isProven: isProven(context), operationId }
        const { done, escrow } = await lockAndWait(parts, request, waitMs, (_gig, options) => new Unfunded(options))
        const view = escrowView(escrow, parts.networks, parts.clock.now())
        const answer = { funded: done, escrow: view, txHash: view.txHash, depositAddress: view.depositAddress }
        return done ? answer : reply(202, { ...answer, statusUrl: statusUrl(gigId) })
      } catch (error) {
        if (error instanceof Unfunded) return refuseUnfunded(parts, gigId, error.options)
        throw error
      }
    },

    getTvlCapacity: async () => {
      const cap = limits.escrow.tvlMicro
      const { total, chains } = await parts.tvl.locked()
      return {
        perGigCap: usd(limits.escrow.perGigMicro),
        tvlCap: usd(cap),
        currentTvl: usd(total),
        remaining: usd(cap - total),
        utilizationPct: Number((total * 1_000_000n) / cap) / 10_000,
        chains: perChain(chain => ({ locked: usd(chains[chain]) })),
        currency: 'USDC' as const,
      }
    },

    getEscrow: ({ params }) => shownEscrow(parts, params.gigId),

    releaseEscrow: async ({ body, caller, waitMs }) => {
      const ordered = await releaseEscrow(parts, body.gigId, caller)
      const escrow = await settledOrNot(parts, ordered, waitMs())
      await readBackGig(parts, escrow)
      const answer = releaseView(escrow)
      return escrow.status === 'released' ? answer : reply(202, { ...answer, statusUrl: statusUrl(body.gigId) })
    },

    disputeEscrow: async ({ body, caller, operationId }) => {
      const disputed = await disputeEscrow(parts, body.gigId, { caller, reason: body.reason, operationId })
      await readBackGig(parts, disputed)
      return { escrow: escrowView(disputed, parts.networks, parts.clock.now()) }
    },

    adminResolveEscrow: async ({ body, caller, waitMs }) => {
      const { gigId, releaseToPayee: release, reason } = body
      const ordered = await resolveDispute(parts, gigId, { wallet: caller.wallet, release, reason })
      const escrow = await settledOrNot(parts, ordered, waitMs())
      await readBackGig(parts, escrow)
      const answer = { escrow: escrowView(escrow, parts.networks, parts.clock.now()), resolvedBy: caller.wallet }
      return escrow.settlement?.onChain.txHash ? answer : reply(202, { ...answer, statusUrl: statusUrl(gigId) })
    },

    confirmEscrowOnchain: async ({ body, caller, waitMs }) => {
      const { gigId, txHash } = body
      const gig = await parts.peers.call('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } })
      if (caller.kind === 'agent' && caller.agentId !== gig.posterId && caller.agentId !== gig.assigneeId) refuse('NOT_PARTY')
      const before = await parts.escrows.get(gigId)
      const isKnown = before !== undefined && before.status !== 'none'
      if (isKnown && before.lock?.onChain.txHash?.toLowerCase() !== txHash.toLowerCase()) refuseSecond(before)
      if (!isKnown) await acceptTransaction(parts, gig, txHash)
      const locked = await parts.wait('escrows', gigId, () => confirmed(parts, gigId), waitMs())
      const answer = (escrow: Stored<Escrow>) => ({ escrow: escrowView(escrow, parts.networks, parts.clock.now()) })
      if (locked) {
        await readBackGig(parts, locked)
        return answer(locked)
      }
      const waiting = await unlessPassing(acceptedLock(parts, gig))
      return reply(202, { ...(waiting ? answer(waiting) : {}), statusUrl: statusUrl(gigId) })
    },
  }) satisfies Handlers<typeof escrowApi>

/** @throws the refusals of a lock, CONFLICT when it failed: the payment goes back to its payer then */
async function fundedByPayment(parts: Parts, gigId: string, { id: paymentId, payer }: { id: string; payer: string }, waitMs: () => number) {
  const started = await lockOrReturn(parts, { gigId, paymentId, payer })
  const ended = async () => {
    const present = await unlessPassing(parts.escrows.need(gigId))
    if (present?.lockFailure?.operationId === paymentId) {
      const { code, message: reason } = present.lockFailure
      refuse('CONFLICT', { code, reason }, { message: 'The lock failed on chain: the payment goes back to its payer', retryable: false })
    }
    return present && present.status !== 'funding' && present.status !== 'none' ? present : undefined
  }
  const done = await parts.wait('escrows', gigId, ended, waitMs())
  if (done) await readBackGig(parts, done)
  const view = escrowView(done ?? started, parts.networks, parts.clock.now())
  const answer = { funded: done !== undefined, escrow: view, txHash: view.txHash, depositAddress: view.depositAddress }
  return done ? answer : reply(202, { ...answer, statusUrl: statusUrl(gigId) })
}

/** @throws INVALID_STATE when the lock was not accepted */
async function acceptedLock({ escrows }: Parts, { gigId, status }: { gigId: string; status: string }): Promise<Stored<Escrow>> {
  const message = 'The lock does not fit the gig as it is now; take it back with reclaim'
  return (await escrows.get(gigId)) ?? refuse('INVALID_STATE', { state: status, allowed: ['open', 'assigned'] }, { message })
}

async function confirmed({ escrows }: Parts, gigId: string): Promise<Stored<Escrow> | undefined> {
  const escrow = await unlessPassing(escrows.get(gigId))
  return escrow && escrow.status !== 'none' && escrow.status !== 'funding' ? escrow : undefined
}

/** Reads the transaction and accepts its lock. @throws AMOUNT_MISMATCH, VALIDATION_ERROR, CONFLICT while it is not final */
async function acceptTransaction(
  parts: Parts,
  gig: { gigId: string; posterId: string; budget: string; chain: (typeof chains)[number] },
  txHash: string,
): Promise<void> {
  const transaction = await transactionOf(parts, { network: gig.chain, txHash })
  if (!transaction) refuse('CONFLICT', undefined, { message: 'The transaction is not mined yet' })
  const { wallet } = await parts.agents.need(gig.posterId)
  const at = { txHash: transaction.hash, blockNumber: transaction.blockNumber }
  const locks = transaction.success ? transaction.logs.filter(({ contract, event }) => contract === 'Escrow' && event === 'EscrowLocked') : []
  const log = locks.find(({ args, address }) => {
    const found = directLockOf({ args, address, ...at })
    return found?.gigId === gig.gigId && found.lock.poster === wallet
  })
  if (!log) refuseField('txHash', 'the transaction holds no EscrowLocked of this gig by its poster')
  if (String(log.args.amount) !== gig.budget) refuse('AMOUNT_MISMATCH', { budget: usd(BigInt(gig.budget)) })
  if (!transaction.final) refuse('CONFLICT', undefined, { message: 'The transaction is not final yet' })
  await directLockSeen(parts, { network: gig.chain, args: log.args, address: log.address, ...at })
}

/** @param options why the sources of a caller did not cover it; no other caller sees it. @throws NOT_FOUND, FUNDS_REQUIRED */
async function refuseUnfunded(parts: Parts, gigId: string, options?: FundingOptions): Promise<never> {
  await parts.peers.call('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } })
  return refuse('FUNDS_REQUIRED', { options: options ?? {} }, { message: 'No source of funds covers the amount' })
}
