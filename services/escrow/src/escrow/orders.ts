import { type AdminCaller, type AgentCaller, type GigRow, refuse, retryableIn } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { advance } from './act.ts'
import { type Escrow, isFinal, passingStates, type Status } from './escrow.ts'
import { changeEscrow, momentOf } from './keep.ts'

function refuseState(state: string, allowed: readonly string[], message: string): never {
  return refuse('INVALID_STATE', { state, allowed }, { message, ...retryableIn(passingStates, state, allowed) })
}

/** What this waits for is on its way as an event of another service. */
function refuseFact(state: Status, message: string): never {
  return refuse('INVALID_STATE', { state, allowed: ['locked'] }, { message, ...(isFinal(state) ? {} : { retryable: true }) })
}

const beyondRelease: readonly Status[] = ['releasing', 'released']

/** Pays the assignee: by the oracle, or by the poster once the verdict is approved. What is released or under way stays as it is. */
export async function orderRelease(parts: Parts, gigId: string, caller: AgentCaller | AdminCaller): Promise<Stored<Escrow>> {
  const known = await needEscrow(parts, gigId)
  const isPoster = caller.kind === 'agent'
  if (isPoster && known.posterId !== caller.agentId) refuse('NOT_POSTER')
  const moment = await momentOf(parts, gigId)
  return changeEscrow(parts, gigId, escrow => {
    const { status, assignment, delivery, verdict } = escrow
    if (isPoster && verdict?.result !== 'approved' && !beyondRelease.includes(status))
      refuse('FORBIDDEN', undefined, { message: 'The poster releases only after an approved verdict', ...(verdict ? {} : { retryable: true }) })
    if (beyondRelease.includes(status)) return undefined
    if (!assignment) refuseFact(status, 'The gig has no assignee')
    if (!delivery) refuseFact(status, 'Nothing was delivered')
    if (status !== 'locked') refuseState(status, ['locked'], `The escrow is ${status}`)
    const order = { release: true, by: 'oracle' as const, wallet: caller.wallet, reason: 'Released by the oracle', at: moment.now }
    return advance({ ...escrow, ...(isPoster ? { posterReleased: true } : { order }) }, moment)
  })
}

/** An admin's decision of a dispute, final like any other. */
export async function orderResolution(
  parts: Parts,
  gigId: string,
  { wallet, release, reason }: { wallet: string; release: boolean; reason: string },
): Promise<Stored<Escrow>> {
  await needEscrow(parts, gigId)
  const moment = await momentOf(parts, gigId)
  return changeEscrow(parts, gigId, escrow => {
    const { status, order, decision, panel, assignment } = escrow
    const isOpen = status === 'disputed' || (status === 'locked' && (panel?.oracleAssisted === true || decision?.outcome === 'hold'))
    if (!isOpen && order?.by === 'admin' && order.release === release && status !== 'funding') return undefined
    if (!isOpen) refuseState(status, ['disputed'], `The escrow is ${status} and not disputed`)
    if (release && !assignment) refuseState(status, ['disputed'], 'The gig has no assignee to pay')
    return advance({ ...escrow, order: { release, by: 'admin', wallet, reason, at: moment.now } }, moment)
  })
}

/** A party stops the settlement. The gig's state is read from its owner, since the answer may be a refusal. */
export async function raiseDispute(
  parts: Parts,
  gigId: string,
  { caller: { agentId }, reason, operationId }: { caller: AgentCaller; reason: string; operationId: string },
): Promise<Stored<Escrow>> {
  await needEscrow(parts, gigId)
  const gig = await parts.gigNow(gigId)
  if (agentId !== gig.posterId && agentId !== gig.assigneeId) refuse('NOT_PARTY')
  const moment = await momentOf(parts, gigId)
  const dispute = (escrow: Escrow) => {
    if (escrow.status !== 'locked') refuseState(escrow.status, ['locked'], `The escrow is ${escrow.status}`)
    needDisputable(gig, agentId, moment.now)
    return advance({ ...escrow, dispute: { agentId, reason, at: moment.now } }, moment)
  }
  return changeEscrow(parts, gigId, dispute, operationId)
}

function needDisputable({ status, posterId, deadlineAt }: GigRow, agentId: string, now: Date): void {
  if (status === 'pending_validation') return
  if (status !== 'assigned') refuseState(status, ['assigned', 'pending_validation'], `The gig is ${status}`)
  if (agentId === posterId && (deadlineAt === null || now <= new Date(deadlineAt)))
    refuseState(status, ['pending_validation'], 'The poster may dispute an assigned gig only after its deadline')
}

/** The escrow of a gig, if money was ever asked for. @throws NOT_FOUND */
export async function needEscrow({ escrows }: Pick<Parts, 'escrows'>, gigId: string): Promise<Stored<Escrow>> {
  const escrow = await escrows.get(gigId)
  return escrow && escrow.status !== 'none' ? escrow : refuse('NOT_FOUND', { resource: 'escrow' })
}
