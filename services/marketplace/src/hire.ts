import { errors, escrowApi, limits, Refusal, refuse } from '@carapace/api'
import type { Agent } from '@carapace/projections'
import type { Stored } from '@carapace/store'
import { assign, awaitBond, dropAcceptance } from './acceptance.ts'
import { assigneeFor } from './crew-rules.ts'
import { feeFor } from './fees.ts'
import { type Acceptance, type Accepted, type Assignee, type Gig, needOpen } from './gig.ts'
import { acceptOffer, type Offer } from './offer.store.ts'
import type { Parts } from './parts.ts'

const maxRisk = 75

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
  return { ...hired, offer: await parts.offers.change(offer.id, present => acceptOffer(present, hired.gig, parts.clock.now())) }
}

async function assignTo(parts: Parts, gig: Stored<Gig>, to: Assignee & Accepted): Promise<Hired> {
  const agent = await parts.agents.fresh(to.agentId)
  needTrusted(agent)
  const { effectiveBp } = feeFor({ tier: agent.tier, chain: gig.chain, availableBond: await parts.bonds.available(agent.id) })
  const acceptance: Acceptance = { ...to, feeBp: effectiveBp, at: parts.clock.now() }
  if (gig.bondRequired === 0n) return { gig: await assignGig(parts, gig.id, acceptance), assigned: true }

  const until = performance.now() + limits.boundedWaitMs
  const waiting = await parts.gigs.change(gig.id, present => awaitBond(present, acceptance))
  const lock = await lockBond(parts, gig, acceptance)
  if (lock.status === 'confirmed') return { gig: await assignGig(parts, gig.id, acceptance), assigned: true }
  // the escrow has waited for the lock already: both waits together are within the limit of one answer
  const left = Math.max(0, until - performance.now())
  const settled = await parts.wait('gigs', gig.id, async () => (await parts.gigs.need(gig.id)).acceptedId ?? undefined, left)
  if (settled === undefined) return { gig: waiting, assigned: false }
  const assigned = await parts.gigs.need(gig.id)
  if (settled !== acceptance.id) needOpen(assigned)
  return { gig: assigned, assigned: true }
}

/** @throws INSUFFICIENT_BOND and other refusals, which end the acceptance; whether anything is locked is not known after the rest */
async function lockBond(parts: Parts, gig: Gig, { agentId, id }: Acceptance) {
  const body = { gigId: gig.id, amount: String(gig.bondRequired) }
  const request = { params: { agentId }, body, timeoutMs: limits.boundedWaitMs }
  return parts.peers.call('escrow', escrowApi.internal.lockBondForGig, request).catch(async (error: unknown) => {
    const isFinal = error instanceof Refusal && !('retryable' in errors[error.code])
    if (isFinal) await parts.gigs.change(gig.id, present => dropAcceptance(present, id))
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
      await parts.peers.call('escrow', escrowApi.internal.unlockBondForGig, { params: { agentId: acceptance.agentId, gigId } })
    throw error
  }
}

/** `escrow.bond.locked`: the acceptance that waited for this lock becomes the assignment. */
export async function onBondLocked(parts: Parts, { agentId, gigId }: { agentId: string; gigId: string }): Promise<void> {
  const gig = await parts.gigs.get(gigId)
  const acceptance = gig?.acceptance
  if (gig?.status !== 'open' || acceptance?.agentId !== agentId) return
  await parts.gigs.change(gigId, present =>
    present.status === 'open' && present.acceptance?.agentId === agentId ? assign(present, acceptance, parts.clock.now()) : undefined,
  )
}
