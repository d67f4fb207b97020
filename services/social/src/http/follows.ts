import type { socialApi } from '@carapace/api'
import type { AgentRef } from '@carapace/projections'
import { type Handlers, recordIdOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Comment } from '../comment/comment.store.ts'
import { writeComment } from '../comment/comment.ts'
import { startFollow, stopFollow } from '../follow/change.ts'
import type { Follow } from '../follow/follow.ts'
import type { Parts } from '../parts.ts'

const followView = ({ id, followerAgentId, followedAgentId, since }: Stored<Follow>) => ({
  id,
  followerAgentId,
  followedAgentId,
  createdAt: since.toISOString(),
})

/** With those who follow. */
export const followerViews = (follows: readonly Stored<Follow>[], refs: (id: string) => AgentRef) =>
  follows.map(follow => ({ ...followView(follow), agent: refs(follow.followerAgentId) }))

async function commentViews(parts: Parts, comments: readonly Stored<Comment>[]) {
  const refs = await parts.agents.refs(comments.map(({ authorId }) => authorId))
  return comments.map(({ id, authorId, targetAgentId, content, createdAt }) => ({
    ...{ id, authorId, targetAgentId, content, createdAt: createdAt.toISOString() },
    author: refs(authorId),
  }))
}

export const followHandlers = (parts: Parts) =>
  ({
    followAgent: async ({ params, caller, operationId }) => {
      const { id } = await parts.agents.needById(params.id)
      return { follow: followView(await startFollow(parts, { followerAgentId: caller.agentId, followedAgentId: id }, operationId)) }
    },

    unfollowAgent: async ({ params, caller, operationId }) => {
      const { id } = await parts.agents.needById(params.id)
      await stopFollow(parts, { followerAgentId: caller.agentId, followedAgentId: id }, operationId)
      return { unfollowed: true as const }
    },

    listFollowers: async ({ params, query }) => {
      const { id } = await parts.agents.need(params.id)
      const [items, figures] = await Promise.all([parts.follows.present({ followedAgentId: id }, query), parts.figures.get(id)])
      const refs = await parts.agents.refs(items.map(({ followerAgentId }) => followerAgentId))
      return { followers: followerViews(items, refs), count: figures.followers, total: figures.followers, ...query }
    },

    listFollowing: async ({ params, query }) => {
      const { id } = await parts.agents.need(params.id)
      const [items, figures] = await Promise.all([parts.follows.present({ followerAgentId: id }, query), parts.figures.get(id)])
      const refs = await parts.agents.refs(items.map(({ followedAgentId }) => followedAgentId))
      const following = items.map(item => ({ ...followView(item), agent: refs(item.followedAgentId) }))
      return { following, count: figures.following, total: figures.following, ...query }
    },

    commentOnAgent: async ({ params, body, caller, operationId }) => {
      const { id: targetAgentId } = await parts.agents.needById(params.id)
      const comment = await writeComment(parts, { id: recordIdOf(operationId), authorId: caller.agentId, targetAgentId, content: body.content })
      return { comment: (await commentViews(parts, [comment]))[0]! }
    },

    listAgentComments: async ({ params, query }) => {
      const { id } = await parts.agents.need(params.id)
      const [items, { comments: total }] = await Promise.all([parts.comments.find({ targetAgentId: id }, query), parts.figures.get(id)])
      return { comments: await commentViews(parts, items), total, ...query }
    },
  }) satisfies Handlers<typeof socialApi>
