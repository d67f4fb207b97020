import { type Draft, hourMs, offerAnswered, offerMade, refuse } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import type { Gig } from '../gig.ts'
import { offerStates } from './offer-states.ts'

export interface Offer {
  id: string
  gigId: string
  fromAgentId: string
  toAgentId: string
  message: string | null
  status: 'pending' | 'accepted' | 'declined' | 'expired'
  expiresAt: Date
  respondedAt: Date | null
  /** Set while pending: at most one such offer of a gig to an agent. */
  pendingKey?: string
}

export const offerForMs = 72 * hourMs

const indexes: Indexes = {
  pending_key: { key: { pendingKey: 1 }, unique: true, partialFilterExpression: { pendingKey: { $exists: true } } },
  to_newest: { key: { toAgentId: 1, createdAt: -1, _id: -1 } },
  to_status_newest: { key: { toAgentId: 1, status: 1, createdAt: -1, _id: -1 } },
  gig_status: { key: { gigId: 1, status: 1 } },
  status_expires: { key: { status: 1, expiresAt: 1 } },
}

export type OfferStore = AggregateStore<Offer>

export const offerStore = (db: Database): OfferStore =>
  aggregateStore<Offer>(db, { collection: 'offers', resource: 'offer', indexes, optimistic: true, duplicates: { pending_key: 'ALREADY_EXISTS' } })

export function newOffer(id: string, gig: Gig, toAgentId: string, message: string | null, now: Date): { state: Offer; events: Draft[] } {
  const expiresAt = new Date(now.getTime() + offerForMs)
  const state: Offer = {
    id,
    gigId: gig.id,
    fromAgentId: gig.posterId,
    toAgentId,
    message,
    status: offerStates.initial,
    expiresAt,
    respondedAt: null,
    pendingKey: `${gig.id}/${toAgentId}`,
  }
  return { state, events: [offerMade.of({ ...factsOf(state, gig), message, expiresAt: expiresAt.toISOString() })] }
}

/** An offer is declined once; a repeat changes nothing. @throws INVALID_STATE when it was answered otherwise or its time is over */
export function declineOffer(offer: Offer, gig: Gig, now: Date): Decision<Offer> | undefined {
  if (offer.status === 'declined') return undefined
  needPending(isAccepted(offer, gig) ? { ...offer, status: 'accepted' } : offer, now)
  return answer(offer, gig, 'decline', now)
}

/** The gig decides: if this offer assigned it, the offer is accepted, even if it was declined or expired at the same moment. */
export function acceptOffer(offer: Offer, gig: Gig, now: Date): Decision<Offer> | undefined {
  return isAccepted(offer, gig) && offer.status !== 'accepted' ? answer(offer, gig, 'accept', now) : undefined
}

export function expireOffer(offer: Offer, gig: Gig, now: Date): Decision<Offer> | undefined {
  return offerStates.next(offer.status, 'expire') && !isAccepted(offer, gig) ? answer(offer, gig, 'expire', now) : undefined
}

function answer(offer: Offer, gig: Gig, trigger: 'accept' | 'decline' | 'expire', now: Date): Decision<Offer> {
  const status = offerStates.move(offer.status, trigger) as Exclude<Offer['status'], 'pending'>
  const { pendingKey, ...rest } = offer
  return {
    state: { ...rest, status, respondedAt: status === 'expired' ? null : now },
    events: [offerAnswered.of({ ...factsOf(offer, gig), status })],
  }
}

const isAccepted = (offer: Offer, gig: Gig): boolean => gig.acceptedId === offer.id

/** It was accepted in time, and the assignment that ends it is there or under way: time does not end it. */
export const isBeingAccepted = (offer: Offer, gig: Gig): boolean => isAccepted(offer, gig) || gig.acceptance?.id === offer.id

/** @throws INVALID_STATE when it was answered or its time is over */
export function needPending(offer: Offer, now: Date): void {
  const state = offer.status === 'pending' && offer.expiresAt <= now ? 'expired' : offer.status
  if (state !== 'pending') refuse('INVALID_STATE', { state, allowed: ['pending'] }, { message: `The offer is ${state}` })
}

const factsOf = (offer: Offer, gig: Gig) => ({
  gigId: gig.id,
  gigTitle: gig.title,
  posterId: gig.posterId,
  budget: gig.budget,
  chain: gig.chain,
  offerId: offer.id,
  fromAgentId: offer.fromAgentId,
  toAgentId: offer.toAgentId,
})
