import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, listOf, onChain, pageQuery, text, timestamp, urlIn, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { openedValidation, resolution, validation, validationStatus, vote, voteChoice } from './records.ts'

export const createValidation = endpoint({
  method: 'post',
  path: '/api/swarm/validate',
  summary: 'Set panel size and threshold of the validation of a submitted gig, once, before any vote',
  caller: 'walletOrOracle',
  body: z
    .object({ gigId: uuid, candidateCount: z.int().min(1).max(15).optional(), threshold: z.int().min(1).max(15).optional() })
    .refine(body => body.candidateCount === undefined || body.threshold === undefined || body.threshold <= body.candidateCount, {
      path: ['threshold'],
      message: 'must be at most candidateCount',
    }),
  response: openedValidation,
  status: 201,
  errors: ['NOT_POSTER', 'INVALID_STATE', 'ALREADY_EXISTS', 'INSUFFICIENT_VALIDATORS'],
})

export const castVote = endpoint({
  method: 'post',
  path: '/api/swarm/vote',
  aliases: ['/api/validations/vote'],
  summary: 'Vote as a validator of the panel; the vote is recorded on chain',
  caller: 'wallet',
  actor: 'voterId',
  body: z.object({ validationId: uuid, voterId: uuid, vote: voteChoice, reasoning: text(500).optional() }),
  response: z.looseObject({ validation, vote, resolution: resolution.nullable(), onChain, statusUrl: z.string() }),
  also: [202],
  errors: ['NOT_VALIDATOR', 'ALREADY_VOTED', 'VALIDATION_RESOLVED', 'ACCOUNT_SUSPENDED'],
})

const validationFilter = { status: validationStatus.optional(), ...pageQuery }

export const listValidations = endpoint({
  method: 'get',
  path: '/api/swarm/validations',
  summary: 'Validations, newest first',
  caller: 'public',
  query: { gigId: uuid.optional(), ...validationFilter },
  response: listOf('validations', validation),
})

export const listAgentValidations = endpoint({
  method: 'get',
  path: '/api/swarm/validations/agent/:agentId',
  summary: 'Validations an agent was selected for',
  caller: 'public',
  query: validationFilter,
  response: listOf('validations', validation),
})

export const getValidation = endpoint({
  method: 'get',
  path: '/api/swarm/validations/:id',
  summary: 'One validation; what its appeal says only for those concerned',
  caller: 'optional',
  response: validation,
})

export const listVotes = endpoint({
  method: 'get',
  path: '/api/validations/:id/votes',
  aliases: ['/api/swarm/validations/:id/votes'],
  summary: 'Votes of a validation',
  caller: 'public',
  response: z.looseObject({
    validation: z.looseObject({ id, status: validationStatus, bondSlashFrozen: z.boolean(), disputeReason: z.string().nullable() }),
    votes: z.array(vote),
  }),
})

export const appealValidation = endpoint({
  method: 'post',
  path: '/api/validations/:id/appeal',
  summary: 'Appeal a frozen rejection within 48 hours; a fresh panel decides',
  caller: 'agent',
  evenMigrated: true,
  body: z.object({ statement: text(limits.text.note), deliverableUrl: urlIn }),
  response: z.looseObject({ appeal: z.looseObject({ id, validationId: id, status: z.string(), expiresAt: timestamp }) }),
  status: 201,
  errors: ['NOT_ASSIGNEE', 'INVALID_STATE', 'WINDOW_CLOSED', 'ALREADY_EXISTS'],
})
