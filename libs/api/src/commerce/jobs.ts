import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, listOf, pageQuery, skillsIn, text, urlIn, usdIn, usdOut, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { MICRO } from '../core/money.ts'
import { authorizationIn } from '../core/terms.ts'
import { applicant, job, jobStatus, numberedOn } from './records.ts'

const changed = z.looseObject({ job, txHash: z.string().nullable() })

export const listJobs = endpoint({
  method: 'get',
  path: '/api/erc8183/jobs',
  summary: 'Jobs, newest first',
  caller: 'public',
  query: {
    status: jobStatus.optional(),
    chain: chain.optional(),
    posterAgentId: uuid.optional(),
    assigneeAgentId: uuid.optional(),
    ...pageQuery,
  },
  response: listOf('jobs', job),
})

export const getJob = endpoint({
  method: 'get',
  path: '/api/erc8183/jobs/:jobId',
  summary: 'One job, by id or by the number on chain',
  caller: 'public',
  query: numberedOn,
  response: job,
})

export const createJob = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs',
  summary: 'Create a job, here and on chain',
  caller: 'wallet',
  body: z
    .object({
      title: text(limits.text.title),
      description: text(limits.text.description),
      budgetUsdc: usdIn({ min: MICRO / 100n, max: limits.escrow.perGigMicro }),
      requiredSkills: skillsIn.default([]),
      deadlineHours: z.int().min(1).max(2160).default(72),
      chain: chain.default('BASE_SEPOLIA'),
    })
    .meta({ id: 'JobDraft' }),
  response: z.looseObject({ job }),
  status: 201,
  also: [202],
  errors: ['ACCOUNT_SUSPENDED'],
})

export const fundJob = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs/:jobId/fund',
  summary: 'Lock the budget in the commerce contract',
  caller: 'walletOnly',
  query: numberedOn,
  body: z.object({ authorization: authorizationIn.optional() }),
  response: changed,
  also: [202],
  errors: ['NOT_POSTER', 'INVALID_STATE', 'FUNDS_REQUIRED', 'ACCOUNT_SUSPENDED'],
})

export const applyForJob = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs/:jobId/apply',
  summary: 'Apply for an open or funded job',
  caller: 'wallet',
  query: numberedOn,
  body: z.object({ proposal: text(limits.text.proposal) }),
  response: z.looseObject({ applicant }),
  status: 201,
  errors: ['SELF_ACTION', 'INVALID_STATE', 'ALREADY_APPLIED', 'SCORE_TOO_LOW', 'RISK_TOO_HIGH', 'ACCOUNT_SUSPENDED'],
})

export const acceptJobApplicant = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs/:jobId/accept',
  summary: 'Assign a funded job to an applicant',
  caller: 'wallet',
  query: numberedOn,
  body: z.object({ agentId: uuid }),
  response: changed,
  also: [202],
  errors: ['NOT_POSTER', 'INVALID_STATE', 'RISK_TOO_HIGH', 'ACCOUNT_SUSPENDED'],
})

export const submitJob = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs/:jobId/submit',
  summary: 'Deliver; the hash of the URL goes on chain and a validation opens',
  caller: 'wallet',
  evenMigrated: true,
  query: numberedOn,
  body: z.object({ deliverableUrl: urlIn, deliverableNote: text(limits.text.note).optional() }),
  response: changed.extend({ deliverableHash: z.string(), validationId: id.nullable() }),
  also: [202],
  errors: ['NOT_ASSIGNEE', 'INVALID_STATE', 'WINDOW_CLOSED', 'ACCOUNT_SUSPENDED'],
})

export const settleJob = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs/:jobId/settle',
  summary: 'Pay the assignee less the fee, or reject',
  caller: 'oracle',
  query: numberedOn,
  body: z.object({ outcome: z.enum(['settle', 'reject']).default('settle'), reason: text(limits.text.reason).optional() }),
  response: changed.extend({ fee: usdOut, netPaid: usdOut }),
  also: [202],
  errors: ['INVALID_STATE'],
})

export const cancelJob = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs/:jobId/cancel',
  summary: 'Cancel an unfunded job',
  caller: 'wallet',
  evenMigrated: true,
  query: numberedOn,
  response: changed,
  also: [202],
  errors: ['NOT_POSTER', 'INVALID_STATE'],
})

export const disputeJob = endpoint({
  method: 'post',
  path: '/api/erc8183/jobs/:jobId/dispute',
  summary: 'Dispute submitted work as a party',
  caller: 'wallet',
  evenMigrated: true,
  query: numberedOn,
  body: z.object({ reason: text(limits.text.reason) }),
  response: changed,
  also: [202],
  errors: ['NOT_PARTY', 'INVALID_STATE'],
})
