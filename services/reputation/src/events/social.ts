import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'

/** What other agents do for the standing of one: follows, reviews, crews. */
export function socialEvents(parts: Parts): Subscription[] {
  return [
    on(api.agentFollowed, async ({ followId, followedAgentId, followerAgentId, followingCount, at }, event) => {
      const follower = (await parts.scores.get(followerAgentId)) ?? unknownAgent(followerAgentId)
      const fact = { type: 'followed', by: followerAgentId, theirScore: follower.fusedScore, theirFollows: followingCount } as const
      await record(parts, event, followedAgentId, fact, { at, key: followId })
    }),
    on(api.agentUnfollowed, ({ followId, followedAgentId, followerAgentId, at }, event) =>
      record(parts, event, followedAgentId, { type: 'unfollowed', by: followerAgentId }, { at, key: followId }),
    ),
    on(api.reviewPublished, ({ reviewId, revieweeId, reviewerId, rating, at }, event) =>
      record(parts, event, revieweeId, { type: 'reviewed', by: reviewerId, rating }, { at, key: reviewId }),
    ),
    on(api.crewChanged, async ({ crewId, members, left = [], dissolved }, event) => {
      const joined = dissolved ? [] : members.filter(member => member.status === 'joined').map(member => member.agentId)
      for (const agentId of joined)
        await record(parts, event, agentId, { type: 'crew_mates', crewId, mates: joined.filter(other => other !== agentId) }, { key: crewId })
      for (const agentId of left) await record(parts, event, agentId, { type: 'crew_mates', crewId, mates: [] }, { key: crewId })
    }),
  ]
}

const unknownAgent = (agentId: string): never => {
  throw new Retry(`agent ${agentId} is not known yet`)
}
