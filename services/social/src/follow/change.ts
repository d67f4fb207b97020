import { refuse } from '@carapace/api'
import { recordIdOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { commit } from '../commit.ts'
import type { Parts } from '../parts.ts'
import { type Counts, endFollow, type Follow, followAgain, newFollow } from './follow.ts'

type Pair = Pick<Follow, 'followerAgentId' | 'followedAgentId'>

/** @throws SELF_ACTION, ALREADY_EXISTS, INVALID_STATE */
export function startFollow(parts: Parts, pair: Pair, operationId: string): Promise<Stored<Follow>> {
  if (pair.followerAgentId === pair.followedAgentId) refuse('SELF_ACTION')
  return commit(parts, pair.followedAgentId, async session => {
    const present = await parts.follows.between(pair.followerAgentId, pair.followedAgentId)
    if (present?.status === 'active')
      return present.operationId === operationId ? present : refuse('ALREADY_EXISTS', undefined, { message: 'The agent is followed already' })
    const change = { operationId, now: parts.clock.now(), counts: await countedBy(parts, pair, 1, session) }
    if (present) return parts.follows.change(present.id, follow => followAgain(follow, change), { session })
    const { state, events } = newFollow({ ...pair, id: recordIdOf(operationId) }, change)
    return parts.follows.create(state, events, { session })
  })
}

/** A follow that has ended already stays as it is. @throws NOT_FOUND where there never was one */
export async function stopFollow(parts: Parts, pair: Pair, operationId: string): Promise<void> {
  await commit(parts, pair.followedAgentId, async session => {
    const present = (await parts.follows.between(pair.followerAgentId, pair.followedAgentId)) ?? refuse('NOT_FOUND', { resource: 'follow' })
    if (present.status === 'ended') return
    const change = { operationId, now: parts.clock.now(), counts: await countedBy(parts, pair, -1, session) }
    await parts.follows.change(present.id, follow => endFollow(follow, change), { session })
  })
}

async function countedBy({ figures }: Parts, pair: Pair, by: 1 | -1, session: ClientSession): Promise<Counts> {
  const followed = await figures.add(pair.followedAgentId, { followers: by, followChanges: 1 }, session)
  const follower = await figures.add(pair.followerAgentId, { following: by }, session)
  return { follower, followed }
}
