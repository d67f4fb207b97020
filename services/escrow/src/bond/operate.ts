import { type AgentCaller, type Authorization, refuse, usd } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { least } from '../amounts.ts'
import { findSource, optionsNow, reserveCustodial } from '../funding.ts'
import { poolSurplus } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { type Bond, lockedOf, minDeposit, payoutAddress } from './bond.ts'
import { bondOf, changeBond, changeBondBy } from './keep.ts'
import type { Outcome } from './outcome.ts'
import { failMove, needRoom, requestDeposit, requestLock, requestReversal, requestSlash, requestWithdrawal, sendDeposit } from './request.ts'
import type { Slash } from './slash.store.ts'

export interface MoveRequest {
  caller: AgentCaller
  /** micro-USDC */
  amount: bigint
  operationId: string
}

/** An operation is known again by its id: a retry joins the first one. */
async function earlier(parts: Parts, agentId: string, operationId: string): Promise<string | undefined> {
  const bond = await parts.bondNow(agentId)
  return (bond && underWay(bond, operationId)) ?? (await parts.bondHistory.ofOperation(agentId, operationId))?.id
}

const underWay = ({ moves }: Bond, operationId: string): string | undefined => moves.find(move => move.operationId === operationId)?.id

/**
 * Makes the move of an operation once. The same operation may run twice at a time: a process that stood still was taken for dead, and another one took
 * its key over. Resolves to the id of the one move, whichever made it.
 */
async function moveOnce(
  parts: Parts,
  { agentId, operationId, id }: { agentId: string; operationId: string; id: string },
  request: (bond: Stored<Bond>) => Outcome,
): Promise<string> {
  let made = id
  await changeBondBy(parts, agentId, async session => {
    const done = await parts.bondHistory.ofOperation(agentId, operationId, session)
    return bond => {
      made = done?.id ?? underWay(bond, operationId) ?? id
      return made === id ? request(bond) : undefined
    }
  })
  return made
}

/** Stakes USDC from the first source that covers it. Resolves to the id of the bond event under way. @throws BELOW_MINIMUM, FUNDS_REQUIRED, SIGNATURE_REQUIRED */
export async function deposit(parts: Parts, request: MoveRequest & { authorization: Authorization | undefined; isProven: boolean }): Promise<string> {
  const { caller, amount, operationId, authorization } = request
  const { agentId, wallet } = caller
  const known = await earlier(parts, agentId, operationId)
  if (known) return known
  if (amount < minDeposit) refuse('BELOW_MINIMUM', { minimum: usd(minDeposit) })
  const bond = await bondOf(parts, agentId)
  // asked before the chain is: a refusal must be cheap
  needRoom(bond)
  const { chain } = bond
  const need = { agentId, wallet, chain, amount, contract: 'bond' as const, authorization, isProven: request.isProven }
  const found = await findSource(parts, need)
  const { bond: contract } = await parts.networks.contracts(chain)
  const onchain = { contract, function: 'deposit(uint256 amount)', amount: String(amount) }
  if (found.kind === 'none') refuse('FUNDS_REQUIRED', { options: { ...found.options, onchain } })
  const source = found.kind === 'treasury' ? undefined : found.source
  const fresh = { id: parts.newId(), operationId, amount, from: found.from, source, now: parts.clock.now() }
  const id = await moveOnce(parts, { agentId, ...fresh }, present => requestDeposit(present, fresh))
  // from here on the deposit is carried out, by the job if not by this call: what fails in passing refuses nothing
  const isCovered = source !== undefined || (await unlessPassing(drawOnTreasury(parts, agentId, id))) !== false
  if (!isCovered) refuse('FUNDS_REQUIRED', { options: { ...(await optionsNow(parts, need)), onchain, nonce: onChainKey(id) } })
  return id
}

/** Reserves custodial money for a deposit and sends its command; false when treasury refuses, then the deposit is gone. */
export async function drawOnTreasury(parts: Parts, agentId: string, id: string): Promise<boolean> {
  const bond = await parts.bonds.need(agentId)
  const move = bond.moves.find(known => known.id === id && known.stage === 'reserving')
  if (!move) return true
  const { chain } = bond
  const source = await reserveCustodial(parts, { key: `bond.deposit:${id}`, round: 1, agentId, amount: move.amount, chain, purpose: 'Bond deposit' })
  await changeBond(parts, agentId, present => {
    const waiting = present.moves.find(known => known.id === id && known.stage === 'reserving')
    if (!waiting) return undefined
    return source ? sendDeposit(present, id, source) : failMove(present, waiting, 'FUNDS_REQUIRED')
  })
  return source !== undefined
}

/** Takes free stake back. @throws WALLET_MISMATCH, INVALID_STATE with what is available */
export async function withdraw(parts: Parts, { caller, amount, operationId }: MoveRequest, wallet: string | undefined): Promise<string> {
  const known = await earlier(parts, caller.agentId, operationId)
  if (known) return known
  const now = parts.clock.now()
  const id = parts.newId()
  return moveOnce(parts, { agentId: caller.agentId, operationId, id }, bond => {
    const to = payoutAddress(bond, now)
    if (wallet !== undefined && wallet.toLowerCase() !== to.toLowerCase()) refuse('WALLET_MISMATCH', { walletAddress: to })
    return requestWithdrawal(bond, { id, operationId, amount, to, now })
  })
}

/** Locks what a gig requires, once. @throws INSUFFICIENT_BOND, INVALID_STATE when the last lock of this gig is just being undone */
export async function lockFor(parts: Parts, agentId: string, gigId: string, amount: bigint): Promise<Stored<Bond>> {
  const lockId = parts.newId()
  return changeBond(parts, agentId, bond => {
    const held = bond.locks.find(lock => lock.gigId === gigId)
    if (held?.isOver) refuse('INVALID_STATE', { state: held.stage }, { message: 'The last lock for this gig is being undone', retryable: true })
    return held ? undefined : requestLock(bond, { lockId, gigId, amount, now: parts.clock.now() })
  })
}

/** Slashes by hand: at once, without a cooldown. */
export async function slashByHand(
  parts: Parts,
  order: { agentId: string; amount: bigint; reason: string; by: 'oracle' | 'admin'; operationId: string },
): Promise<Slash['id']> {
  const { agentId, amount, reason, by, operationId } = order
  const known = await earlier(parts, agentId, operationId)
  if (known) return known
  const bond = await bondOf(parts, agentId)
  const total = bond.free + lockedOf(bond)
  const tooMuch = (held: bigint) => refuse('VALIDATION_ERROR', { totalBonded: usd(held) }, { message: `amount: the bond is only ${usd(held)} USDC` })
  if (amount > total) tooMuch(total)
  const scoreBefore = (await parts.agents.get(agentId))?.fusedScore ?? null
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
export async function reverse(parts: Parts, slashId: string, reason: string, operationId: string): Promise<Stored<Slash>> {
  const row = await parts.slashes.need(slashId)
  const { agentId, gigId, validationId } = row
  const bond = await bondOf(parts, agentId)
  if (bond.reversed.includes(slashId)) return row
  if (row.status === 'APPLIED' && row.amount === 0n) return parts.slashes.become(slashId, () => ({ status: 'REVERSED' }))
  const isMade = (await parts.bondHistory.get(slashId)) !== undefined
  if (!isMade || row.status === 'REVERSED') refuse('INVALID_STATE', { state: row.status, allowed: ['APPLIED'] })
  const id = parts.newId()
  await changeBondBy(parts, agentId, async session => {
    // the stake went into the pool of its own network, wherever the gig was
    const surplus = await poolSurplus(parts.ledger, bond.chain, session)
    const amount = least(row.amount, surplus)
    return present => {
      if (present.reversed.includes(slashId)) return undefined
      if (amount === 0n) refuse('INVALID_STATE', { state: 'empty', allowed: ['surplus'] }, { message: 'The pool has no surplus to pay it back from' })
      return requestReversal(present, { id, slashId, operationId, amount, gigId, reason, validationId, now: parts.clock.now() })
    }
  })
  return row
}

/** Waits until a bond event is done or has failed; undefined when that takes longer than an answer may. */
export async function outcomeOf(parts: Parts, agentId: string, id: string, timeoutMs: number): Promise<'done' | 'failed' | undefined> {
  return parts.wait(
    'bonds',
    agentId,
    async () => {
      const bond = await unlessPassing(bondOf(parts, agentId))
      if (!bond) return undefined
      const isUnderWay = bond.moves.some(move => move.id === id) || bond.locks.some(lock => lock.lockId === id && lock.stage === 'locking')
      if (isUnderWay) return undefined
      return (await parts.bondHistory.get(id)) ? 'done' : 'failed'
    },
    timeoutMs,
  )
}
