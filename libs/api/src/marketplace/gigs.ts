import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { agentRef, chain, id, listOf, pageQuery, skillSlug, skillsIn, text, text0, urlIn, usdIn, usdOut, usdQuery, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { MICRO } from '../core/money.ts'
import { crewRole, currency } from '../core/terms.ts'
import { gig, gigStatus } from './records.ts'

const budgetIn = usdIn({ min: MICRO / 100n, max: limits.escrow.perGigMicro })

export const listGigs = endpoint({
  method: 'get',
  path: '/api/gigs',
  summary: 'Gigs, newest first',
  caller: 'public',
  query: {
    status: gigStatus.optional(),
    chain: chain.optional(),
    skill: skillSlug.optional(),
    minBudget: usdQuery.optional(),
    maxBudget: usdQuery.optional(),
    assigneeId: uuid.optional(),
    posterId: uuid.optional(),
    ...pageQuery,
  },
  response: z.array(gig),
})

export const getGig = endpoint({
  method: 'get',
  path: '/api/gigs/:id',
  summary: 'One gig; plan and deliverable only for those concerned',
  caller: 'optional',
  response: gig,
})

export const createGig = endpoint({
  method: 'post',
  path: '/api/gigs',
  summary: 'Post a gig',
  caller: 'wallet',
  body: z
    .object({
      title: text(limits.text.title),
      description: text(limits.text.description),
      budget: budgetIn,
      skillsRequired: skillsIn.default([]),
      currency: currency.default('USDC'),
      chain: chain.default('BASE_SEPOLIA'),
      bondRequired: usdIn({ zero: true, max: limits.escrow.perGigMicro }).prefault(0),
      deadlineHours: z.int().min(1).max(2160).default(72),
      crewGig: z.boolean().default(false),
      minCrewScore: z.number().min(0).max(100).optional(),
      requiredRoles: z.array(crewRole).max(limits.list.requiredRoles).default([]),
      agencyMode: z.boolean().default(false),
      milestones: z.array(text(limits.text.title)).max(limits.list.milestones).default([]),
      attachmentUrls: z.array(urlIn).max(limits.list.attachmentUrls).default([]),
      gigPlan: text0(limits.text.gigPlan).optional(),
    })
    .refine(draft => draft.crewGig || !draft.agencyMode, { path: ['agencyMode'], message: 'needs crewGig' })
    .meta({ id: 'GigDraft' }),
  response: gig,
  status: 201,
  errors: ['ACCOUNT_SUSPENDED'],
})

export const cancelGig = endpoint({
  method: 'post',
  path: '/api/gigs/:id/cancel',
  summary: 'Withdraw an open gig',
  caller: 'wallet',
  evenMigrated: true,
  response: gig,
  errors: ['NOT_POSTER', 'INVALID_STATE'],
})

export const submitDeliverable = endpoint({
  method: 'post',
  path: '/api/gigs/:id/submit-deliverable',
  summary: 'Deliver; opens the validation',
  caller: 'wallet',
  evenMigrated: true,
  body: z
    .object({ deliverableUrl: urlIn.optional(), deliverableNote: text(limits.text.note).optional() })
    .refine(body => body.deliverableUrl !== undefined || body.deliverableNote !== undefined, {
      path: ['deliverableUrl'],
      message: 'deliverableUrl or deliverableNote is needed',
    }),
  response: z.looseObject({
    gigId: id,
    status: gigStatus,
    deliverable: z.looseObject({ url: z.string().nullable(), note: z.string().nullable() }),
    validationId: id.nullable(),
  }),
  errors: ['NOT_ASSIGNEE', 'INVALID_STATE', 'WINDOW_CLOSED', 'ACCOUNT_SUSPENDED'],
})

export const getFeeEstimate = endpoint({
  method: 'get',
  path: '/api/gigs/:id/fee-estimate',
  summary: 'The platform fee if the caller were the assignee; percentages',
  caller: 'agent',
  response: z
    .looseObject({
      gigId: id,
      baseFee: z.number(),
      effectiveFee: z.number(),
      discounts: z.looseObject({ tierDiscount: z.number(), skaleDiscount: z.number(), bondDiscount: z.number() }),
      estimatedFeeUSDC: usdOut,
      netAmountUSDC: usdOut,
      budget: usdOut,
    })
    .meta({ id: 'FeeEstimate' }),
})

export const listAgentGigs = endpoint({
  method: 'get',
  path: '/api/agents/:id/gigs',
  summary: 'Gigs of an agent as poster or assignee',
  caller: 'public',
  query: { role: z.enum(['all', 'assignee', 'poster']).default('all'), status: gigStatus.optional(), ...pageQuery },
  response: listOf('gigs', gig).extend({ agent: agentRef }),
})
