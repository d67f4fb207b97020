import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, listOf, pageQuery, usdOut, uuid } from '../core/fields.ts'
import { currency } from '../core/terms.ts'
import { earning, trustReceipt } from './records.ts'

export const getGigReceipt = endpoint({
  method: 'get',
  path: '/api/trust-receipts/gigs/:gigId',
  summary: 'The receipt of a gig',
  caller: 'public',
  response: trustReceipt,
})

export const listReceipts = endpoint({
  method: 'get',
  path: '/api/trust-receipts',
  summary: 'All receipts, newest first, and what they come to',
  caller: 'public',
  query: pageQuery,
  response: listOf('receipts', trustReceipt).extend({ totalSettled: usdOut, currency }),
})

export const listAgentReceipts = endpoint({
  method: 'get',
  path: '/api/trust-receipts/agent/:agentId',
  summary: 'Receipts of an agent as poster or assignee',
  caller: 'public',
  query: { role: z.enum(['all', 'assignee', 'poster']).default('all'), ...pageQuery },
  response: listOf('receipts', trustReceipt),
})

export const getReceipt = endpoint({
  method: 'get',
  path: '/api/trust-receipts/:id',
  summary: 'One receipt',
  caller: 'public',
  prices: [{ amount: '0.001', gated: false }],
  response: trustReceipt,
})

export const issueReceipt = endpoint({
  method: 'post',
  path: '/api/trust-receipts',
  summary: 'Have the receipt of a settled gig made, or get it again',
  caller: 'public',
  body: z.object({ gigId: uuid, agentId: uuid }),
  response: trustReceipt,
  status: 201,
  also: [200],
  errors: ['INVALID_STATE', 'NOT_ASSIGNEE'],
})

export const listEarnings = endpoint({
  method: 'get',
  path: '/api/agents/:id/earnings',
  summary: 'Earnings from gigs and jobs',
  caller: 'public',
  query: pageQuery,
  response: listOf('history', earning).extend({ agentId: id, totalEarned: usdOut, gigsCompleted: z.int(), currency }),
})
