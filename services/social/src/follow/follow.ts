import { agentFollowed, agentUnfollowed, limits, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import type { Figures } from '../figures.ts'
import { followStates } from './follow-states.ts'

export interface Follow {
  id: string
  followerAgentId: string
  followedAgentId: string
  status: 'active' | 'ended'
  /** When the present follow began. */
  since: Date
  /** The operation that made the last change: its repeat answers as the first call did. */
  operationId: string
}

/** The figures of both agents after the change. */
export interface Counts {
  follower: Figures
  followed: Figures
}
type Change = { operationId: string; now: Date; counts: Counts }

/** @throws INVALID_STATE when the follower follows too many agents */
export function newFollow(pair: Pick<Follow, 'id' | 'followerAgentId' | 'followedAgentId'>, { operationId, now, counts }: Change): Decision<Follow> {
  needRoom(counts)
  const state: Follow = { ...pair, status: followStates.initial, since: now, operationId }
  return { state, events: [agentFollowed.of(factsOf(state, counts, now))] }
}

/** @throws ALREADY_EXISTS, and INVALID_STATE when the follower follows too many agents */
export function followAgain(follow: Follow, { operationId, now, counts }: Change): Decision<Follow> {
  const status = followStates.next(follow.status, 'follow') ?? refuse('ALREADY_EXISTS', undefined, { message: 'The agent is followed already' })
  needRoom(counts)
  const state = { ...follow, status, since: now, operationId }
  return { state, events: [agentFollowed.of(factsOf(state, counts, now))] }
}

/** @throws NOT_FOUND when the agent is not followed */
export function endFollow(follow: Follow, { operationId, now, counts }: Change): Decision<Follow> {
  const status = followStates.next(follow.status, 'unfollow') ?? refuse('NOT_FOUND', { resource: 'follow' })
  const state = { ...follow, status, operationId }
  return { state, events: [agentUnfollowed.of(factsOf(state, counts, now))] }
}

function needRoom({ follower }: Counts): void {
  const most = limits.social.follows
  if (follower.following > most) refuse('INVALID_STATE', { limit: most }, { message: `An agent follows at most ${most} agents` })
}

const factsOf = ({ id, followerAgentId, followedAgentId }: Follow, { follower, followed }: Counts, now: Date) => ({
  followId: id,
  followerAgentId,
  followedAgentId,
  followerCount: followed.followers,
  followingCount: follower.following,
  followChange: followed.followChanges,
  at: now.toISOString(),
})
