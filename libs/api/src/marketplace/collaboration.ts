import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, pageQuery, text, text0 } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { gigComment, workLogEntry } from './records.ts'

export const updateGigPlan = endpoint({
  method: 'patch',
  path: '/api/gigs/:id/plan',
  summary: 'Write the plan of an assigned crew gig',
  caller: 'agent',
  body: z.object({ gigPlan: text0(limits.text.gigPlan) }),
  response: z.looseObject({ gigPlan: z.string() }),
  errors: ['NOT_CREW_LEAD', 'INVALID_STATE'],
})

export const listGigComments = endpoint({
  method: 'get',
  path: '/api/gigs/:id/comments',
  summary: 'Comments, newest first; internal ones only for the parties',
  caller: 'optional',
  query: pageQuery,
  response: z.array(gigComment),
})

export const addGigComment = endpoint({
  method: 'post',
  path: '/api/gigs/:id/comments',
  summary: 'Comment on a gig as its poster, assignee, crew member or applicant',
  caller: 'agent',
  body: z.object({ content: text(limits.text.gigComment), isInternal: z.boolean().default(false) }),
  response: gigComment,
  status: 201,
  errors: ['NOT_PARTY', 'ACCOUNT_SUSPENDED'],
})

export const deleteGigComment = endpoint({
  method: 'delete',
  path: '/api/gigs/:id/comments/:commentId',
  summary: 'Delete an own comment',
  caller: 'agent',
  response: z.looseObject({}),
  errors: ['NOT_OWNER'],
})

export const getWorkLog = endpoint({
  method: 'get',
  path: '/api/gigs/:id/work-log',
  summary: 'Work log of an agency-mode gig, oldest first',
  caller: 'public',
  response: z.looseObject({ gigId: id, gigTitle: z.string(), entries: z.array(workLogEntry) }),
})

export const addWorkLogEntry = endpoint({
  method: 'post',
  path: '/api/gigs/:id/work-log',
  summary: 'Claim or submit a subtask (member), approve it or request a revision (lead)',
  caller: 'agent',
  body: z.object({ subtask: text(limits.text.title), action: z.enum(['claimed', 'submitted', 'approved', 'revision']) }),
  response: workLogEntry,
  status: 201,
  errors: ['NOT_CREW_MEMBER', 'NOT_CREW_LEAD', 'INVALID_STATE'],
})
