import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Decision } from '@carapace/store'
import { addApplicant, bondFailed } from './acceptance.ts'
import { acceptApplication, rejectApplication } from './application/application.store.ts'
import { bondLost, showBond } from './bond-locks.ts'
import { rescoreCrew } from './crew/crew-score.ts'
import { followEscrowDecision, projectEscrowStatus } from './escrow-decision.ts'
import type { Gig } from './gig.ts'
import { onBondLocked } from './hire.ts'
import { acceptOffer, expireOffer } from './offer/offer.store.ts'
import { linkValidation, type Panel } from './panel.ts'
import type { Parts } from './parts.ts'
import { closeGigsOf } from './reclaimed.ts'

export const events = (parts: Parts): Subscription[] => {
  const { gigs, applications, offers, crews, clock } = parts
  /** Every event about a gig speaks of one of ours, which exists before anybody can react to it. */
  const change = (gigId: string, decide: (gig: Gig) => Decision<Gig> | undefined) => gigs.change(gigId, decide)
  const escrowIs = (gigId: string, status: Gig['escrowStatus'], { aggregateversion }: api.CloudEvent) =>
    change(gigId, gig => projectEscrowStatus(gig, status, aggregateversion))

  const bondIs = async ({ agentId, gigId }: { agentId: string; gigId: string }, isLocked: boolean, { aggregateversion: version }: api.CloudEvent) => {
    await change(gigId, gig => {
      const state = showBond(gig, { agentId, isLocked, version })
      return state && { state, events: [] }
    })
  }

  const panelIs = async ({ gigId, ...panel }: Panel & { gigId: string | null }, { aggregateversion }: api.CloudEvent) => {
    if (gigId !== null) await change(gigId, gig => linkValidation(gig, panel, aggregateversion))
  }

  /** Offers and applications that wait, in one read. */
  const pendingOf = async (gigId: string) => {
    const stages = (kind: 'offer' | 'application') => [{ $match: { gigId, status: 'pending' } }, { $project: { _id: 1, kind: { $literal: kind } } }]
    const withApplications = { $unionWith: { coll: applications.collection.collectionName, pipeline: stages('application') } }
    const found = await offers.collection.aggregate<{ _id: string; kind: string }>([...stages('offer'), withApplications]).toArray()
    const idsOf = (wanted: string) => found.flatMap(({ _id, kind }) => (kind === wanted ? [_id] : []))
    return { offerIds: idsOf('offer'), applicationIds: idsOf('application') }
  }

  /** The gig is not open any more: its offers expire; the application of the assignee is accepted, the others are rejected. */
  const endPending = async (gig: Gig) => {
    const { offerIds, applicationIds } = await pendingOf(gig.id)
    for (const id of offerIds) await offers.change(id, offer => expireOffer(offer, gig, clock.now()))
    for (const id of applicationIds)
      await applications.change(id, application =>
        application.agentId === gig.assigneeId ? acceptApplication(application) : rejectApplication(application, gig),
      )
  }

  return [
    on(api.applicationCreated, async ({ gigId, applicantId, applicationId }) => {
      const gig = await change(gigId, present => addApplicant(present, applicantId, clock.now()))
      // its gig may have been assigned before the application was stored
      if (gig.status !== 'open') await applications.change(applicationId, application => rejectApplication(application, gig))
    }),
    on(api.gigAssigned, async ({ gigId, by }) => {
      const gig = await gigs.need(gigId)
      if (by === 'offer' && gig.acceptedId !== null) await offers.change(gig.acceptedId, offer => acceptOffer(offer, gig, clock.now()))
      await endPending(gig)
    }),
    on(api.agentStatusChanged, async ({ agentId, cause }) => {
      if (cause === 'wallet_reclaimed') await closeGigsOf(parts, agentId)
    }),
    on(api.gigCancelled, async ({ gigId }) => endPending(await gigs.need(gigId))),
    on(api.scoreChanged, async changed => {
      if (!api.isScoreMoved(changed)) return
      for (const crew of await crews.ofMember(changed.agentId)) await rescoreCrew(parts, crew.id)
    }),
    on(api.gigCompleted, ({ crewId }, event) =>
      crewId === null
        ? Promise.resolve()
        : crews.change(crewId, crew => ({ state: { ...crew, gigsCompleted: crew.gigsCompleted + 1 }, events: [] }), { cause: event.id }),
    ),
    on(api.bondLocked, async (payload, event) => {
      await bondIs(payload, true, event)
      await onBondLocked(parts, payload)
    }),
    on(api.bondUnlocked, (payload, event) => bondIs(payload, false, event)),
    on(api.bondLockFailed, async (payload, event) => {
      const { agentId, gigId, isLockedAgain } = payload
      if (isLockedAgain) return bondIs(payload, false, event)
      await change(gigId, gig => bondLost(gig, { agentId, isLocked: false, version: event.aggregateversion }, clock.now()))
      await change(gigId, gig => bondFailed(gig, agentId, new Date(event.time)))
    }),
    on(api.validationOpened, panelIs),
    on(api.panelChanged, panelIs),
    on(api.escrowDecided, payload => change(payload.gigId, gig => followEscrowDecision(gig, payload, clock.now()))),
    on(api.escrowLocked, ({ gigId }, event) => escrowIs(gigId, 'locked', event)),
    on(api.escrowReleased, ({ gigId }, event) => escrowIs(gigId, 'released', event)),
    on(api.escrowRefunded, ({ gigId }, event) => escrowIs(gigId, 'refunded', event)),
    on(api.escrowDisputed, ({ gigId }, event) => escrowIs(gigId, 'disputed', event)),
    on(api.escrowFailed, ({ gigId }, event) => escrowIs(gigId, 'none', event)),
    on(api.escrowRestated, ({ gigId, status }, event) => escrowIs(gigId, status, event)),
  ]
}
