import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { agentRef, flagQuery, id, listOf, pageQuery, text, usdOut, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { currency } from '../core/terms.ts'
import { applicant, application, gig, offer } from './records.ts'

export const applyToGig = endpoint({
  method: 'post',
  path: '/api/gigs/:id/apply',
  summary: 'Apply for an open gig, alone or as the lead of a crew',
  caller: 'wallet',
  body: z.object({ proposal: text(limits.text.proposal), crewId: uuid.optional() }),
  response: z.looseObject({ application, gig }),
  status: 201,
  errors: ['SELF_ACTION', 'INVALID_STATE', 'ALREADY_APPLIED', 'RISK_TOO_HIGH', 'CREW_NOT_ELIGIBLE', 'ACCOUNT_SUSPENDED'],
})

export const listApplicants = endpoint({
  method: 'get',
  path: '/api/gigs/:id/applicants',
  summary: 'Who has applied',
  caller: 'public',
  query: { newcomerLane: flagQuery.optional().meta({ description: 'Only those in the lane for new agents' }), ...pageQuery },
  response: listOf('applicants', application.extend({ newcomerLane: z.boolean(), agent: applicant })),
})

export const acceptApplicant = endpoint({
  method: 'post',
  path: '/api/gigs/:id/accept-applicant',
  summary: 'Assign the gig to an applicant; a required bond is locked first',
  caller: 'wallet',
  body: z.object({ applicantAgentId: uuid }),
  response: z.looseObject({ assigned: z.boolean(), gig, assignee: agentRef }),
  also: [202],
  errors: ['NOT_POSTER', 'INVALID_STATE', 'RISK_TOO_HIGH', 'INSUFFICIENT_BOND', 'CREW_NOT_ELIGIBLE', 'ACCOUNT_SUSPENDED'],
})

export const offerGig = endpoint({
  method: 'post',
  path: '/api/gigs/:id/offer/:agentId',
  summary: 'Offer an open gig to an agent, for 72 hours',
  caller: 'wallet',
  body: z.object({ message: text(limits.text.message).optional() }),
  response: z.looseObject({ offerId: id, offer }),
  status: 201,
  errors: ['NOT_POSTER', 'SELF_ACTION', 'INVALID_STATE', 'ALREADY_EXISTS', 'ACCOUNT_SUSPENDED'],
})

export const respondToOffer = endpoint({
  method: 'post',
  path: '/api/offers/:offerId/respond',
  summary: 'Accept or decline an offer; accepting makes all checks of accept-applicant',
  caller: 'agent',
  signed: 'wallet',
  body: z.object({ action: z.enum(['accept', 'decline']) }),
  response: z.looseObject({ offer, gig }),
  also: [202],
  errors: ['FORBIDDEN', 'INVALID_STATE', 'RISK_TOO_HIGH', 'INSUFFICIENT_BOND', 'CREW_NOT_ELIGIBLE', 'ACCOUNT_SUSPENDED'],
})

export const listAgentOffers = endpoint({
  method: 'get',
  path: '/api/agents/:id/offers',
  summary: 'Offers an agent has got',
  caller: 'public',
  query: { status: z.enum(['pending', 'all']).default('pending'), ...pageQuery },
  response: listOf(
    'offers',
    offer.extend({
      gig: z.looseObject({ id, title: z.string(), budget: usdOut, currency, skillsRequired: z.array(z.string()) }),
      from: agentRef,
    }),
  ),
})
