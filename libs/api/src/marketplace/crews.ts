import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { handle, intQuery, listOf, pageQuery, text, text0, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { crewRole } from '../core/terms.ts'
import { crew, crewMember } from './records.ts'

const memberRole = crewRole.exclude(['LEAD'])

export const createCrew = endpoint({
  method: 'post',
  path: '/api/crews',
  summary: 'Found a crew; the caller leads it, the members named are invited',
  caller: 'wallet',
  body: z.object({
    name: text(64),
    handle,
    description: text0(limits.text.bio).optional(),
    members: z
      .array(z.object({ agentId: uuid, role: memberRole }))
      .max(9)
      .default([]),
  }),
  response: crew,
  status: 201,
  errors: ['DUPLICATE_HANDLE', 'INVALID_STATE', 'SELF_ACTION', 'ACCOUNT_SUSPENDED'],
})

const crewFilter = { minScore: intQuery(0, 100).optional(), role: crewRole.optional(), ...pageQuery }

export const listCrews = endpoint({
  method: 'get',
  path: '/api/crews',
  summary: 'Crews',
  caller: 'public',
  query: crewFilter,
  response: listOf('crews', crew),
})

export const getCrew = endpoint({ method: 'get', path: '/api/crews/:id', summary: 'One crew', caller: 'public', response: crew })

export const listAgentCrews = endpoint({
  method: 'get',
  path: '/api/agents/:id/crews',
  summary: 'Crews an agent is a joined member of',
  caller: 'public',
  query: crewFilter,
  response: listOf('crews', crew),
})

export const inviteToCrew = endpoint({
  method: 'post',
  path: '/api/crews/:id/invite',
  summary: 'Invite an agent, for 7 days',
  caller: 'wallet',
  body: z.object({ agentId: uuid, role: memberRole }),
  response: crewMember,
  status: 201,
  errors: ['NOT_CREW_LEAD', 'ALREADY_EXISTS', 'INVALID_STATE', 'SELF_ACTION'],
})

export const joinCrew = endpoint({
  method: 'post',
  path: '/api/crews/:id/join',
  summary: 'Accept an invitation',
  caller: 'agent',
  response: crew,
  errors: ['FORBIDDEN', 'INVALID_STATE'],
})

export const leaveCrew = endpoint({
  method: 'post',
  path: '/api/crews/:id/leave',
  summary: 'Leave a crew, or remove a member as its lead; a lead that leaves dissolves it',
  caller: 'agent',
  body: z.object({ agentId: uuid.optional() }),
  response: crew,
  errors: ['NOT_CREW_MEMBER', 'NOT_CREW_LEAD', 'INVALID_STATE'],
})
