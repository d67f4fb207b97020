import {
  type AgentCaller,
  type Authorization,
  escrowApi,
  type FundingOptions,
  type GigRow,
  limits,
  type Refusal,
  refuse,
  retryableIn,
  swarmApi,
  usd,
} from '@carapace/api'
import { findSource, onChainKey, operationKey, optionsNow, reserveCustodial } from '@carapace/chain'
import { holdAtIntake, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import { contractOf } from '../bound-contract.ts'
import { changeEscrow, changeEscrowNow, recordFact } from '../change-escrow.ts'
import type { Escrow } from '../escrow.ts'
import { passingStates } from '../escrow-states.ts'
import { assignmentOf, termsOf } from '../gig-row.ts'
import { lockRefused, reserveLock, sendLock } from './transitions.ts'

export interface LockRequest {
  gigId: string
  /** micro-USDC; undefined = the budget */
  amount: bigint | undefined
  authorization: Authorization | undefined
  caller: AgentCaller
  isProven: boolean
  operationId: string
}

/** An x402 payment at the intake; its id is the operation. */
export interface IntakeRequest {
  gigId: string
  paymentId: string
  /** Wallet of the poster. */
  payer: string
}

const fundable = ['open', 'assigned', 'pending_validation']

/**
 * Locks the budget of a gig, once: a second request is refused, unless it is the same operation again.
 * Resolves when the record is made and its command is on the way.
 * @throws NOT_POSTER, AMOUNT_MISMATCH, CAP_EXCEEDED, ALREADY_EXISTS, INVALID_STATE, TVL_CAP_REACHED; `without` says what is thrown when no source covers it
 */
export async function lockEscrow(
  parts: Parts,
  request: LockRequest,
  without: (gig: GigRow, options: FundingOptions) => Refusal,
): Promise<Stored<Escrow>> {
  const { gigId, caller, operationId } = request
  const { gig, escrow } = await needFundable(parts, request)
  if (escrow.status !== 'none') return escrow

  const amount = BigInt(gig.budget)
  const contract = await contractOf(parts, escrow)
  const need = {
    agentId: caller.agentId,
    wallet: caller.wallet,
    chain: gig.chain,
    amount,
    contract: 'escrow' as const,
    contractAddress: contract,
    x402At: escrowApi.endpoints.fundEscrow.path,
    authorization: request.authorization,
    isProven: request.isProven,
  }
  const found = await findSource(parts, need)
  if (found.kind === 'none') throw without(gig, withOnchain(contract, gig, found.options))
  const reserved = await changeEscrow(parts, gigId, present => {
    if (present.status !== 'none') refuseSecond(present)
    const record = reserveLock(present, { operationId, kind: found.kind, from: found.from, poster: caller.wallet, contract })
    return found.kind === 'treasury' ? record : sendLock(record.state, found.source)
  })
  if (found.kind !== 'treasury') return reserved
  // from here on the lock is carried out, by the job if not by this call: what fails in passing refuses nothing
  const sent = (await unlessPassing(drawOnTreasury(parts, reserved))) ?? reserved
  if (sent.status === 'none') throw without(gig, withOnchain(contract, gig, await optionsNow(parts, need)))
  return sent
}

/**
 * Locks the budget of a gig with what an x402 payment has paid. The same payment again resolves to what became of it.
 * @throws the refusals of `lockEscrow`, and CONFLICT where its lock has failed: then the payment funds nothing
 */
export async function lockByPayment(parts: Parts, { gigId, paymentId, payer }: IntakeRequest): Promise<Stored<Escrow>> {
  const { posterId } = await parts.gigNow(gigId)
  const caller: AgentCaller = { kind: 'agent', agentId: posterId, wallet: payer }
  const { escrow } = await needFundable(parts, { gigId, amount: undefined, caller, operationId: paymentId })
  if (escrow.lockFailure?.operationId === paymentId)
    refuse('INVALID_STATE', { state: 'none', allowed: [] }, { message: 'The lock of this payment has failed' })
  const contract = await contractOf(parts, escrow)
  const reserved =
    escrow.status === 'none'
      ? await changeEscrow(parts, gigId, present => {
          if (present.lock?.operationId === paymentId) return undefined
          if (present.status !== 'none') refuseSecond(present)
          return reserveLock(present, { operationId: paymentId, kind: 'x402', from: payer, poster: payer, contract })
        })
      : escrow
  return drawOnIntake(parts, reserved)
}

/** Steps 2 and 3 for money at the intake: it is set aside once its arrival is final. */
async function drawOnIntake(parts: Parts, escrow: Stored<Escrow>): Promise<Stored<Escrow>> {
  const { id, lock, status } = escrow
  if (status !== 'funding' || lock?.stage !== 'reserving') return escrow
  const { operationId, onChain } = lock
  const { round } = onChain
  const held = await holdAtIntake(parts, operationId, { key: operationKey('escrow.lock-x402', id), round })
  if (held.status === 'pending') return escrow
  if (held.status === 'held')
    return changeEscrow(parts, id, present =>
      present.lock?.onChain.round === round ? sendLock(present, { kind: 'intake', payTo: held.payTo }) : undefined,
    )
  const refusal = { round, code: 'FUNDS_REQUIRED', message: 'The payment is not at the intake any more' }
  return changeEscrowNow(parts, id, (present, moment) => lockRefused(present, refusal, moment))
}

export async function needFundable(
  parts: Parts,
  { gigId, amount, caller, operationId }: Pick<LockRequest, 'gigId' | 'amount' | 'caller' | 'operationId'>,
): Promise<{ gig: GigRow; escrow: Stored<Escrow> }> {
  const gig = await parts.gigNow(gigId)
  const budget = BigInt(gig.budget)
  if (gig.posterId !== caller.agentId) refuse('NOT_POSTER')
  if (budget > limits.escrow.perGigMicro) refuse('CAP_EXCEEDED', { cap: usd(limits.escrow.perGigMicro) })
  if (amount !== undefined && amount !== budget) refuse('AMOUNT_MISMATCH', { budget: usd(budget) })
  const assignment = await assignmentOf(parts, gig)
  const { skillsRequired } = gig
  const escrow = await recordFact(parts, termsOf(gig), present => (assignment && !present.assignment ? { assignment, skillsRequired } : undefined))
  if (escrow.status === 'unfunded')
    refuse('INVALID_STATE', { state: escrow.status, allowed: fundable }, { message: 'The gig has ended without an escrow' })
  if (escrow.status !== 'none') return { gig, escrow: escrow.lock?.operationId === operationId ? escrow : refuseSecond(escrow) }
  if (!fundable.includes(gig.status)) refuse('INVALID_STATE', { state: gig.status, allowed: fundable })
  if (gig.status === 'pending_validation') await needNoVotes(parts, gigId)
  return { gig, escrow }
}

/** After the first vote a poster could see where it goes before paying. */
async function needNoVotes({ peers }: Parts, gigId: string): Promise<void> {
  const { validations } = await peers.call('swarm', swarmApi.internal.listGigValidations, { params: { gigId } })
  if (validations.some(({ votes }) => votes.length > 0))
    refuse('INVALID_STATE', { state: 'pending_validation', allowed: fundable }, { message: 'The validators are voting already' })
}

export function refuseSecond(escrow: Escrow): never {
  return refuse('ALREADY_EXISTS', { resource: 'escrow', state: escrow.status }, retryableIn(passingStates, escrow.status, ['none']))
}

/** Steps 2 and 3 of the lock saga for a source that treasury sets aside; also what the sweeper calls for a record that a crash left without a command. */
export async function drawOnTreasury(parts: Parts, escrow: Stored<Escrow>): Promise<Stored<Escrow>> {
  if (escrow.lock?.kind === 'x402') return drawOnIntake(parts, escrow)
  const { id, lock, posterId, amount, chain } = escrow
  const { round } = lock!.onChain
  const source = await reserveCustodial(parts, {
    owner: 'escrow',
    key: `escrow.lock:${id}`,
    round,
    agentId: posterId,
    amount,
    chain,
    purpose: `Escrow of gig ${id}`,
  })
  if (source) return changeEscrow(parts, id, present => (present.lock?.onChain.round === round ? sendLock(present, source) : undefined))
  const refusal = { round, code: 'FUNDS_REQUIRED', message: 'The custodial wallet does not cover it' }
  return changeEscrowNow(parts, id, (present, moment) => lockRefused(present, refusal, moment))
}

function withOnchain(contract: string, gig: GigRow, options: FundingOptions): FundingOptions {
  return {
    ...options,
    onchain: {
      contract,
      function: 'lockUSDC(bytes32 gigId, address payee, uint256 amount)',
      gigKey: onChainKey(gig.gigId),
      amount: gig.budget,
    },
  }
}

/** How the lock of this operation ended, or undefined while it is under way. @throws FUNDS_REQUIRED, CHAIN_UNAVAILABLE when it failed */
export async function lockOutcome({ escrows }: Parts, gigId: string, operationId: string): Promise<Stored<Escrow> | undefined> {
  const escrow = await unlessPassing(escrows.need(gigId))
  if (!escrow) return undefined
  const { lockFailure, status } = escrow
  if (lockFailure?.operationId === operationId) {
    const details = { code: lockFailure.code, reason: lockFailure.message }
    const isMoney = /Insufficient|exceeds|authoriz|signature|permit/i.test(lockFailure.message)
    refuse(isMoney ? 'FUNDS_REQUIRED' : 'CONFLICT', details, { message: 'The lock failed on chain; nothing was moved' })
  }
  return status === 'funding' || status === 'none' ? undefined : escrow
}
