import { agentCommented, limits, refuse } from '@carapace/api'
import type { Agent } from '@carapace/projections'
import type { Decision, Stored } from '@carapace/store'
import { commit } from '../commit.ts'
import type { Parts } from '../parts.ts'
import type { Comment } from './comment.store.ts'

/** @throws SCORE_TOO_LOW */
export function newComment(comment: Comment, author: Pick<Agent, 'fusedScore'>, now: Date): Decision<Comment> {
  const commentScore = limits.social.commentScore
  if (author.fusedScore < commentScore) refuse('SCORE_TOO_LOW', { required: commentScore, actual: author.fusedScore })
  const { id: commentId, authorId, targetAgentId } = comment
  return { state: comment, events: [agentCommented.of({ commentId, authorId, targetAgentId, at: now.toISOString() })] }
}

/** Stores the comment of an operation once. @throws SCORE_TOO_LOW */
export async function writeComment(parts: Parts, comment: Comment): Promise<Stored<Comment>> {
  const earlier = await parts.comments.get(comment.id)
  if (earlier) return earlier
  const { state, events } = newComment(comment, await parts.agents.fresh(comment.authorId), parts.clock.now())
  return commit(parts, comment.targetAgentId, async session => {
    await parts.figures.add(comment.targetAgentId, { comments: 1 }, session)
    return parts.comments.create(state, events, { session })
  })
}
