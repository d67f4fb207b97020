import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { listOf, pageQuery, text, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { review, reviewWithReviewer } from './records.ts'

export const writeReview = endpoint({
  method: 'post',
  path: '/api/reviews',
  summary: 'Review the other party of a settled gig or job, once',
  caller: 'agent',
  signed: 'wallet',
  actor: 'reviewerId',
  body: z.object({
    gigId: uuid,
    reviewerId: uuid,
    revieweeId: uuid,
    rating: z.int().min(1).max(5),
    comment: text(limits.text.reviewComment).optional(),
  }),
  response: z.looseObject({ review }),
  status: 201,
  errors: ['SELF_ACTION', 'NOT_PARTY', 'INVALID_STATE', 'ALREADY_EXISTS', 'WINDOW_CLOSED', 'ACCOUNT_SUSPENDED'],
})

export const listReviews = endpoint({
  method: 'get',
  path: '/api/reviews/agent/:id',
  summary: 'Visible reviews of an agent',
  caller: 'public',
  query: pageQuery,
  response: listOf('reviews', reviewWithReviewer).extend({ averageRating: z.number().nullable() }),
})
