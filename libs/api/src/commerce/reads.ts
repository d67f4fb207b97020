import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { agentRef, chain, id, listOf, pageQuery, timestamp, usdOut, walletIn } from '../core/fields.ts'
import { bondStatus, perChain, riskLevel } from '../core/terms.ts'
import { applicant, commerceReceipt, job, jobStatus, numberedOn } from './records.ts'

export const getCommerceInfo = endpoint({
  method: 'get',
  path: '/api/erc8183/info',
  summary: 'Contracts, ABI version, caps and state of both networks',
  caller: 'public',
  response: z
    .looseObject({
      standard: z.string(),
      abiVersion: z.string(),
      contractAddress: z.string(),
      chain,
      chainId: z.int(),
      platformFeeBps: z.int(),
      statusValues: z.array(z.string()),
      caps: z.looseObject({ minBudget: usdOut, maxBudget: usdOut }),
      networks: perChain(
        z.looseObject({ chainId: z.int(), address: z.string(), evaluator: z.string(), usdc: z.string(), status: z.string(), paused: z.boolean() }),
      ),
      abis: z.looseObject({ spec: z.string(), erc8183: z.string() }),
    })
    .meta({ id: 'CommerceInfo' }),
})

export const getCommerceAbi = endpoint({
  method: 'get',
  path: '/api/erc8183/abi/:name',
  summary: "ABI of the contract: `spec` with the platform's events, `erc8183` with those of the ERC text",
  caller: 'public',
  params: { name: z.enum(['spec', 'erc8183']) },
  response: z.array(z.looseObject({ type: z.string() })),
})

export const listJobApplicants = endpoint({
  method: 'get',
  path: '/api/erc8183/jobs/:jobId/applicants',
  summary: 'Who has applied for a job',
  caller: 'public',
  query: { ...numberedOn, ...pageQuery },
  response: listOf('applicants', applicant.extend({ agent: agentRef })),
})

export const getJobQuorum = endpoint({
  method: 'get',
  path: '/api/erc8183/jobs/:jobId/quorum',
  summary: 'What the validators of a job have decided so far',
  caller: 'public',
  query: numberedOn,
  response: z.looseObject({
    exists: z.boolean(),
    status: z.string().nullable(),
    validationId: id.nullable(),
    votesFor: z.int(),
    votesAgainst: z.int(),
    totalVotes: z.int(),
    threshold: z.int(),
    candidateCount: z.int(),
    finalized: z.boolean(),
    settleAfter: timestamp.nullable(),
  }),
})

export const listAgentJobs = endpoint({
  method: 'get',
  path: '/api/erc8183/agents/:agentId/jobs',
  summary: 'Jobs an agent has posted',
  caller: 'public',
  query: pageQuery,
  response: listOf('jobs', job),
})

export const listAgentJobApplications = endpoint({
  method: 'get',
  path: '/api/erc8183/agents/:agentId/applications',
  summary: 'Jobs an agent has applied for',
  caller: 'public',
  query: pageQuery,
  response: listOf('applications', applicant.extend({ job: z.looseObject({ id, title: z.string(), status: jobStatus, budgetUsdc: usdOut }) })),
})

export const checkJobEligibility = endpoint({
  method: 'get',
  path: '/api/erc8183/agents/:wallet/check',
  summary: 'Whether the agent of a wallet may accept jobs',
  caller: 'public',
  params: { wallet: walletIn },
  response: z.looseObject({
    wallet: z.string(),
    isRegisteredAgent: z.boolean(),
    eligible: z.boolean(),
    fusedScore: z.number(),
    tier: z.string().nullable(),
    bondStatus,
    availableBond: usdOut,
    riskLevel,
    reasons: z.array(z.string()),
    standard: z.literal('ERC-8183'),
  }),
})

export const getCommerceReceipt = endpoint({
  method: 'get',
  path: '/api/commerce/jobs/:id/receipt',
  summary: 'The receipt of a settled job',
  caller: 'public',
  query: numberedOn,
  response: commerceReceipt,
})

export const getCommerceReceiptPicture = endpoint({
  method: 'get',
  path: '/api/commerce/jobs/:id/receipt.png',
  summary: 'The receipt of a settled job as a picture, 1200 by 630',
  caller: 'public',
  query: numberedOn,
  produces: 'image/png',
})

export const issueCommerceReceipt = endpoint({
  method: 'post',
  path: '/api/commerce/jobs/:id/receipt',
  summary: 'Have the receipt of a settled job made, or get it again',
  caller: 'public',
  query: numberedOn,
  response: commerceReceipt,
  status: 201,
  also: [200],
  errors: ['INVALID_STATE'],
})
