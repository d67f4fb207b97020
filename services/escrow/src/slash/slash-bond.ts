import { Refusal, refuse, refuseField, usd } from '@carapace/api'
import type { Stored } from '@carapace/store'
import { least } from '../amounts.ts'
import { type Bond, lockedOf } from '../bond/bond.ts'
import { eventOutcome } from '../bond/bond-event-status.ts'
import { bondOf, changeBond } from '../bond/change-bond.ts'
import { earlier, moveOnce } from '../bond/requests/bond-operations.ts'
import { needRoom } from '../bond/requests/need-room.ts'
import { requestReversal } from '../bond/requests/request-reversal.ts'
import { requestSlash } from '../bond/requests/request-slash.ts'
import { poolSurplus, slashAccountOf } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import type { Slash } from './slash.ts'
import { slashStates } from './slash-states.ts'

interface SlashOrder {
  agentId: string
  /** micro-USDC */
  amount: bigint
  reason: string
  by: 'oracle' | 'admin'
  operationId: string
}

/**
 * Slashes a bond by an order of the oracle or an admin: immediately, without a cooldown. Resolves to the id of the slash.
 * @throws VALIDATION_ERROR above the bond; INVALID_STATE, retryable, while too many commands of it are under way
 */
export async function slashBond(parts: Parts, order: SlashOrder): Promise<Slash['id']> {
  const { agentId, operationId } = order
  const done = await earlier(parts, agentId, operationId)
  if (done) return done
  const bond = await bondOf(parts, agentId)
  const queue = `slash:${agentId}`
  needRoom(bond, parts.queue.waiting(queue))
  return parts.queue.serialize(queue, () => makeSlash(parts, order))
}

async function makeSlash(parts: Parts, { agentId, amount, reason, by, operationId }: SlashOrder): Promise<Slash['id']> {
  const bond = await bondOf(parts, agentId)
  // before its row is written: a refused order leaves none
  needRoom(bond)
  const total = bond.free + lockedOf(bond)
  const tooMuch = (held: bigint) => refuseField('amount', `the bond is only ${usd(held)} USDC`, { totalBonded: usd(held) })
  if (amount > total) tooMuch(total)
  const { fusedScore: scoreBefore } = await parts.performances.of(agentId)
  const none = { gigId: null, gigTitle: null, gigBudget: null, validationId: null, txHash: null }
  const row = await parts.slashes.record({
    ...none,
    id: parts.newId(),
    agentId,
    chain: bond.chain,
    amount,
    reason,
    status: 'APPLIED',
    by,
    scoreBefore,
    isPending: true,
  })
  const slash = { slashId: row.id, operationId, amount, gigId: null, reason, validationId: null, by, now: parts.clock.now() }
  const request = (present: Bond) => {
    const held = present.free + lockedOf(present)
    if (amount > held) tooMuch(held)
    return requestSlash(present, slash)
  }
  let id: string | undefined
  try {
    id = await moveOnce(parts, { agentId, operationId, id: row.id }, request)
  } finally {
    if (id !== row.id) await parts.slashes.failed(row.id)
  }
  return id
}

/** Pays a slash back, at most what the pool has over. @throws INVALID_STATE */
export async function reverseSlash(parts: Parts, slashId: string, reason: string, operationId: string): Promise<Stored<Slash>> {
  const row = await parts.slashes.need(slashId)
  const { agentId, gigId, validationId } = row
  const bond = await bondOf(parts, agentId)
  if (bond.reversed.includes(slashId)) return row
  if (row.status === 'APPLIED' && row.amount === 0n)
    return parts.slashes.become(slashId, ({ status }) => ({ status: slashStates.move(status, 'reverse') }))
  if (row.status === 'REVERSED') refuse('INVALID_STATE', { state: row.status, allowed: ['APPLIED'] })
  const isMade = (await parts.bondHistory.current(slashId)) !== undefined
  if (!isMade) await refuseUnmade(parts, row)
  const id = parts.newId()
  const reversal = { id, slashId, operationId, gigId, reason, validationId, now: parts.clock.now() }
  // the stake went into the pool of its own network and contract, wherever the gig was; other processes draw on the same pool
  const request = async () => {
    const amount = least(row.amount, await poolSurplus(parts.ledger, bond.chain, slashAccountOf(bond)))
    return changeBond(parts, agentId, present => {
      if (present.reversed.includes(slashId)) return undefined
      if (amount === 0n) refuse('INVALID_STATE', { state: 'empty', allowed: ['surplus'] }, { message: 'The pool has no surplus to pay it back from' })
      return requestReversal(present, { ...reversal, amount })
    })
  }
  await parts.queue.serialize('fee-pool', () => request().catch(error => (isShort(error) ? request() : Promise.reject(error))))
  return row
}

/** A slash whose command is under way can be reversed once it is confirmed. @throws INVALID_STATE */
async function refuseUnmade(parts: Parts, { id, agentId, status }: Slash): Promise<never> {
  const event = await eventOutcome(parts, agentId, id)
  if (event?.onChain.status === 'pending')
    refuse('INVALID_STATE', { state: 'pending', allowed: ['APPLIED'] }, { retryable: true, message: 'The slash is being confirmed on chain' })
  const state = event ? 'failed' : status
  return refuse('INVALID_STATE', { state, allowed: ['APPLIED'] }, { message: 'The slash has not moved anything on chain' })
}

const isShort = (error: unknown): boolean => error instanceof Refusal && error.code === 'INSUFFICIENT_BALANCE'
