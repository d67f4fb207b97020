import { swarmApi } from '@carapace/api'
import { type Job, peerPolls } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { closeTopUp, type Reward } from './reward.ts'

/** A validator can claim a top-up once the swarm knows of it, which waits for none. */
export const topUpPolls = (parts: Parts): Job =>
  peerPolls<Reward>(parts, {
    name: 'top-ups that the swarm has not confirmed',
    records: parts.rewards,
    filter: { isTopUpOpen: true },
    since: 'updatedAt',
    poll: reward => report(parts, reward),
  })

async function report({ peers, rewards }: Parts, { id, shares, topUps }: Reward): Promise<void> {
  const body = { rewards: shares.map(({ validatorId, funded }) => ({ validatorId, funded: String(funded) })) }
  await peers.call('swarm', swarmApi.internal.noteFunding, { params: { id }, body })
  await rewards.change(id, present => closeTopUp(present, topUps.length))
}
