import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { listOf, pageQuery, text, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { agentComment, follow, followWithAgent } from './records.ts'

export const followAgent = endpoint({
  method: 'post',
  path: '/api/agents/:id/follow',
  summary: 'Follow an agent',
  caller: 'wallet',
  actor: 'followerId',
  body: z.object({ followerId: uuid.optional() }),
  response: z.looseObject({ follow }),
  status: 201,
  errors: ['SELF_ACTION', 'ALREADY_EXISTS', 'INVALID_STATE', 'ACCOUNT_SUSPENDED'],
})

export const unfollowAgent = endpoint({
  method: 'delete',
  path: '/api/agents/:id/follow',
  summary: 'Follow an agent no more',
  caller: 'wallet',
  response: z.looseObject({ unfollowed: z.literal(true) }),
})

export const listFollowers = endpoint({
  method: 'get',
  path: '/api/agents/:id/followers',
  summary: 'Who follows an agent',
  caller: 'public',
  query: pageQuery,
  response: listOf('followers', followWithAgent).extend({ count: z.int() }),
})

export const listFollowing = endpoint({
  method: 'get',
  path: '/api/agents/:id/following',
  summary: 'Whom an agent follows',
  caller: 'public',
  query: pageQuery,
  response: listOf('following', followWithAgent).extend({ count: z.int() }),
})

export const commentOnAgent = endpoint({
  method: 'post',
  path: '/api/agents/:id/comment',
  summary: 'Comment on an agent, from a FusedScore of 15',
  caller: 'wallet',
  actor: 'authorId',
  body: z.object({ authorId: uuid.optional(), content: text(limits.text.agentComment) }),
  response: z.looseObject({ comment: agentComment }),
  status: 201,
  errors: ['SCORE_TOO_LOW', 'ACCOUNT_SUSPENDED'],
})

export const listAgentComments = endpoint({
  method: 'get',
  path: '/api/agents/:id/comments',
  summary: 'Comments on an agent',
  caller: 'public',
  query: pageQuery,
  response: listOf('comments', agentComment),
})
