import { escrowApi, limits, Refusal, refuse } from '@carapace/api'
import type { Agent } from '@carapace/projections'
import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { abandonAcceptance, assign, assignAccepted, awaitBond, dropAcceptance, isOverdue, lockRequestedAgain } from './acceptance.ts'
import { assigneeFor, engaged } from './crew/crew-rules.ts'
import { feeFor } from './fees.ts'
import { type Acceptance, type Accepted, type Assignee, type Gig, needOpen } from './gig.ts'
import { acceptOffer, type Offer } from './offer/offer.store.ts'
import type { Parts } from './parts.ts'

const maxRisk = 75
/** The escrow has stored the lock by then; its event makes the assignment. */
const requestTimeoutMs = 2_000

export interface Hired {
  gig: Stored<Gig>
  /** False while the bond lock is not confirmed yet: the assignment follows its event. */
  assigned: boolean
}

/** Above this risk nobody applies or is hired. @throws RISK_TOO_HIGH, ACCOUNT_SUSPENDED */
export function needTrusted(agent: Agent): void {
  if (agent.status !== 'active') refuse('ACCOUNT_SUSPENDED')
  if (agent.riskScore > maxRisk) refuse('RISK_TOO_HIGH', { required: maxRisk, actual: agent.riskScore })
}

/**
 * Assigns a gig: checks the agent, locks a required bond first, then one guarded update from open to assigned. An acceptance that has the
 * assignment already is done: its first answer was lost. The loser of a race releases its lock.
 * @throws INVALID_STATE, RISK_TOO_HIGH, INSUFFICIENT_BOND
 */
export async function hire(parts: Parts, gig: Stored<Gig>, accepted: Accepted, assignee: () => Promise<Assignee>): Promise<Hired> {
  if (gig.acceptedId === accepted.id) return { gig, assigned: true }
  try {
    needOpen(gig)
    return await assignTo(parts, gig, { ...(await assignee()), ...accepted })
  } catch (error) {
    const present = await parts.gigs.need(gig.id)
    if (present.acceptedId === accepted.id) return { gig: present, assigned: true }
    throw error
  }
}

/** The recipient has accepted; once the gig is assigned, so is the offer. */
export async function hireByOffer(parts: Parts, gig: Stored<Gig>, offer: Stored<Offer>): Promise<Hired & { offer: Stored<Offer> }> {
  const hired = await hire(parts, gig, { by: 'offer', id: offer.id }, () => assigneeFor(parts, gig, offer.toAgentId, undefined))
  if (!hired.assigned) return { ...hired, offer }
  // the gig has decided: its event ends the offer, if this does not
  const accepted = await unlessPassing(parts.offers.change(offer.id, present => acceptOffer(present, hired.gig, parts.clock.now())))
  return accepted ? { ...hired, offer: accepted } : { ...hired, assigned: false, offer }
}

async function assignTo(parts: Parts, gig: Stored<Gig>, to: Assignee & Accepted): Promise<Hired> {
  const [agent] = await Promise.all([parts.agents.fresh(to.agentId), needActivePoster(parts, gig, to)])
  needTrusted(agent)
  const { effectiveBp } = feeFor({ tier: agent.tier, chain: gig.chain, availableBond: await parts.bonds.available(agent.id) })
  const acceptance: Acceptance = { ...to, ...(await engaged(parts, gig, to)), feeBp: effectiveBp, at: parts.clock.now() }
  if (gig.bondRequired === 0n) return { gig: await assignGig(parts, gig.id, acceptance), assigned: true }

  const until = performance.now() + limits.boundedWaitMs
  const waiting = await parts.gigs.change(gig.id, present => awaitBond(present, acceptance))
  // from here on the job carries the acceptance on: what fails in passing refuses nothing
  const lock = await unlessPassing(lockBond(parts, gig, acceptance, limits.boundedWaitMs))
  if (!lock) return { gig: waiting, assigned: false }
  if (lock.status === 'confirmed') {
    const assigned = await assignGig(parts, gig.id, acceptance).catch((error: unknown) => unlessWaiting(parts, error, gig.id, acceptance.id))
    return assigned ? { gig: assigned, assigned: true } : { gig: waiting, assigned: false }
  }
  // the escrow has waited for the lock already: both waits together are within the limit of one answer
  const left = Math.max(0, until - performance.now())
  const settled = async () => {
    const present = await unlessPassing(parts.gigs.need(gig.id))
    return present && present.acceptedId !== null ? present : undefined
  }
  const assigned = await parts.wait('gigs', gig.id, settled, left)
  if (!assigned) return { gig: waiting, assigned: false }
  if (assigned.acceptedId !== acceptance.id) needOpen(assigned)
  return { gig: assigned, assigned: true }
}

/**
 * The poster's money may belong to another by now: to the owner who has reclaimed its wallet. A poster that accepts an application has just proven
 * that it is active; one whose offer is accepted has not.
 * @throws ACCOUNT_SUSPENDED
 */
async function needActivePoster(parts: Parts, { posterId }: Gig, { by }: Accepted): Promise<void> {
  if (by === 'application') return
  const { status } = await parts.agents.fresh(posterId)
  if (status !== 'active') refuse('ACCOUNT_SUSPENDED', undefined, { message: 'The poster of this gig is not active' })
}

/** Undefined when the acceptance still waits, as far as is known: the job makes the assignment. @throws the error when it does not */
async function unlessWaiting(parts: Parts, error: unknown, gigId: string, acceptanceId: string): Promise<undefined> {
  await unlessPassing(Promise.reject(error))
  const present = await unlessPassing(parts.gigs.need(gigId))
  if (present && present.acceptance?.id !== acceptanceId) throw error
}

/** @throws INSUFFICIENT_BOND and other refusals, which end the acceptance; whether anything is locked is not known after the rest */
async function lockBond(parts: Parts, gig: Gig, { agentId, id }: Acceptance, timeoutMs: number) {
  const body = { gigId: gig.id, amount: String(gig.bondRequired) }
  const request = { params: { agentId }, body, timeoutMs }
  return parts.peers.call('escrow', escrowApi.internal.lockBondForGig, request).catch(async (error: unknown) => {
    if (error instanceof Refusal && !error.isRetryable) await parts.gigs.change(gig.id, present => dropAcceptance(present, id))
    throw error
  })
}

async function assignGig(parts: Parts, gigId: string, acceptance: Acceptance): Promise<Stored<Gig>> {
  try {
    return await parts.gigs.change(gigId, present => assign(present, acceptance, parts.clock.now()))
  } catch (error) {
    const gig = await parts.gigs.need(gigId)
    // another acceptance of the same agent may have won: the lock is its lock then
    if (gig.bondRequired > 0n && gig.assigneeId !== acceptance.agentId)
      await unlessPassing(parts.peers.call('escrow', escrowApi.internal.unlockBondForGig, { params: { agentId: acceptance.agentId, gigId } }))
    throw error
  }
}

/** `escrow.bond.locked`: the acceptance that waited for this lock becomes the assignment. */
export async function onBondLocked(parts: Parts, { agentId, gigId }: { agentId: string; gigId: string }): Promise<void> {
  const gig = await parts.gigs.get(gigId)
  const acceptance = gig?.acceptance
  if (acceptance?.agentId !== agentId) return
  await parts.gigs.change(gigId, present => assignAccepted(present, acceptance.id, parts.clock.now()))
}

/**
 * Requests the lock again that an acceptance waits for, because the first call may never have arrived; once for a gig and agent it is the
 * same lock. The acceptance is abandoned when it has waited too long.
 */
export async function carryOnAcceptance(parts: Parts, gig: Stored<Gig>, now: Date): Promise<void> {
  const { acceptance } = gig
  if (gig.status !== 'open' || !acceptance) return
  if (isOverdue(acceptance, now)) {
    await parts.gigs.change(gig.id, present => abandonAcceptance(present, acceptance.id))
    return
  }
  await parts.gigs.change(gig.id, present => lockRequestedAgain(present, acceptance.id, now))
  const lock = await unlessPassing(lockBond(parts, gig, acceptance, requestTimeoutMs))
  if (lock?.status === 'confirmed') await parts.gigs.change(gig.id, present => assignAccepted(present, acceptance.id, parts.clock.now()))
}
