import { type AgentCaller, type Authorization, refuse, usd } from '@carapace/api'
import { findSource, onChainKey, optionsNow, reserveCustodial } from '@carapace/chain'
import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import { type Bond, minDeposit, payoutAddress } from '../bond.ts'
import type { BondDecision } from '../bond-decision.ts'
import { bondPlaces, boundTo, depositsOn, isNamed, stakeOn } from '../bound-contract.ts'
import { bondOf, changeBond, waitingChanges } from '../change-bond.ts'
import { failMove } from './fail-move.ts'
import { needRoom } from './need-room.ts'
import { requestDeposit, sendDeposit } from './request-deposit.ts'
import { requestLock } from './request-lock.ts'
import { requestWithdrawal } from './request-withdrawal.ts'

export interface MoveRequest {
  caller: AgentCaller
  /** micro-USDC */
  amount: bigint
  operationId: string
}

/** An operation is known again by its id: a retry joins the first one. */
export async function earlier(parts: Parts, agentId: string, operationId: string): Promise<string | undefined> {
  const bond = await parts.bondNow(agentId)
  return (bond && underWay(bond, operationId)) ?? (await parts.bondHistory.ofOperation(agentId, operationId))?.id
}

/** The bond event of an operation that is under way, or that was confirmed not long ago. */
const underWay = ({ moves, done }: Bond, operationId: string): string | undefined =>
  [...moves, ...done.flatMap(one => ('move' in one ? [one.move] : []))].find(move => move.operationId === operationId)?.id

/**
 * Makes the move of an operation once. The same operation may run twice at a time: a process that did not answer is considered dead, and another one
 * claims its key. Resolves to the id of the one move, of either process.
 */
export async function moveOnce(
  parts: Parts,
  { agentId, operationId, id }: { agentId: string; operationId: string; id: string },
  request: (bond: Stored<Bond>) => BondDecision,
): Promise<string> {
  let made = id
  await changeBond(parts, agentId, bond => {
    made = underWay(bond, operationId) ?? id
    return made === id ? request(bond) : undefined
  })
  return made
}

/** Stakes USDC from the first source that covers it. Resolves to the id of the bond event under way. @throws BELOW_MINIMUM, FUNDS_REQUIRED, SIGNATURE_REQUIRED */
export async function depositBond(
  parts: Parts,
  request: MoveRequest & { authorization: Authorization | undefined; isProven: boolean },
): Promise<string> {
  const { caller, amount, operationId, authorization } = request
  const { agentId, wallet } = caller
  const done = await earlier(parts, agentId, operationId)
  if (done) return done
  if (amount < minDeposit) refuse('BELOW_MINIMUM', { minimum: usd(minDeposit) })
  const bond = await bondOf(parts, agentId)
  // checked before the chain is read: a refusal must be cheap
  needRoom(bond, waitingChanges(parts, agentId))
  const { chain } = bond
  const places = await bondPlaces(parts, bond)
  const contract = depositsOn(bond, places, parts.clock.now())
  const since = isNamed(bond, contract, places) ? undefined : await emptySince(parts, bond, contract)
  const need = { agentId, wallet, chain, amount, contract: 'bond' as const, contractAddress: contract, authorization, isProven: request.isProven }
  const found = await findSource(parts, need)
  const onchain = { contract, function: 'deposit(uint256 amount)', amount: String(amount) }
  if (found.kind === 'none') refuse('FUNDS_REQUIRED', { options: { ...found.options, onchain } })
  const source = found.kind === 'treasury' ? undefined : found.source
  const fresh = { id: parts.newId(), operationId, amount, from: found.from, source, now: parts.clock.now() }
  const id = await moveOnce(parts, { agentId, ...fresh }, present => {
    // one that was bound meanwhile cannot use what was allowed, or signed, for another contract
    const bound = boundTo(present, contract, places, fresh.now, since)
    return bound ? requestDeposit(bound, fresh) : refuse('CONFLICT')
  })
  // from here on the deposit is carried out, by the job if not by this call: what fails in passing refuses nothing
  const isCovered = source !== undefined || (await unlessPassing(drawOnTreasury(parts, agentId, id))) !== false
  if (!isCovered) refuse('FUNDS_REQUIRED', { options: { ...(await optionsNow(parts, need)), onchain, nonce: onChainKey(id) } })
  return id
}

/**
 * Stake that is not counted would be taken for what is deposited now, as soon as its owner withdraws it.
 * @returns the block in which the contract has none of this wallet's
 * @throws INVALID_STATE
 */
async function emptySince(parts: Parts, bond: Bond, contract: string): Promise<number> {
  const { stake, blockNumber } = await stakeOn(parts, bond, contract)
  if (stake === 0n) return blockNumber
  const message = `${usd(stake)} USDC that this wallet deposited on ${contract} are not counted: withdraw them there first`
  refuse('INVALID_STATE', { state: 'uncounted', allowed: ['empty'], contract }, { message })
}

/** Reserves custodial money for a deposit and sends its command; false when treasury refuses, then the deposit has failed. */
export async function drawOnTreasury(parts: Parts, agentId: string, id: string): Promise<boolean> {
  const bond = await parts.bonds.need(agentId)
  const move = bond.moves.find(one => one.id === id && one.stage === 'reserving')
  if (!move) return true
  const { chain } = bond
  const source = await reserveCustodial(parts, {
    owner: 'escrow',
    key: `bond.deposit:${id}`,
    round: 1,
    agentId,
    amount: move.amount,
    chain,
    purpose: 'Bond deposit',
  })
  await changeBond(parts, agentId, present => {
    const waiting = present.moves.find(one => one.id === id && one.stage === 'reserving')
    if (!waiting) return undefined
    return source ? sendDeposit(present, id, source) : failMove(present, waiting, 'FUNDS_REQUIRED')
  })
  return source !== undefined
}

/** Pays free stake out. @throws WALLET_MISMATCH, INVALID_STATE with what is available */
export async function withdrawBond(parts: Parts, { caller, amount, operationId }: MoveRequest, wallet: string | undefined): Promise<string> {
  const done = await earlier(parts, caller.agentId, operationId)
  if (done) return done
  needRoom(await bondOf(parts, caller.agentId), waitingChanges(parts, caller.agentId))
  const now = parts.clock.now()
  const id = parts.newId()
  return moveOnce(parts, { agentId: caller.agentId, operationId, id }, bond => {
    const to = payoutAddress(bond, now)
    if (wallet !== undefined && wallet.toLowerCase() !== to.toLowerCase()) refuse('WALLET_MISMATCH', { walletAddress: to })
    return requestWithdrawal(bond, { id, operationId, amount, to, now })
  })
}

/** Locks what a gig requires, once. @throws INSUFFICIENT_BOND, INVALID_STATE when the last lock of this gig is just being released, or about to be */
export async function lockBond(parts: Parts, agentId: string, gigId: string, amount: bigint): Promise<Stored<Bond>> {
  const lockId = parts.newId()
  return changeBond(parts, agentId, bond => {
    const held = bond.locks.find(lock => lock.gigId === gigId)
    if (held?.isOver || held?.isQueried)
      refuse('INVALID_STATE', { state: held.stage }, { message: 'The last lock for this gig is being released', retryable: true })
    return held ? undefined : requestLock(bond, { lockId, gigId, amount, now: parts.clock.now() })
  })
}

/** Waits until a bond event is done or has failed; undefined when that lasts longer than an answer may. */
export async function outcomeOf(parts: Parts, agentId: string, id: string, timeoutMs: number): Promise<'done' | 'failed' | undefined> {
  return parts.wait(
    'bonds',
    agentId,
    async () => {
      const bond = await unlessPassing(bondOf(parts, agentId))
      if (!bond) return undefined
      const isUnderWay = bond.moves.some(move => move.id === id) || bond.locks.some(lock => lock.lockId === id && lock.stage === 'locking')
      if (isUnderWay) return undefined
      const found = await unlessPassing(parts.bondHistory.current(id).then(event => ({ event })))
      return found && (found.event ? 'done' : 'failed')
    },
    timeoutMs,
  )
}
