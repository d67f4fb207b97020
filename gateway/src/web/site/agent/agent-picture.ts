import { identityApi, refuse } from '@carapace/api'
import { plural } from '../../format.ts'
import { sharePicture } from '../../parts/share-picture.ts'
import type { SiteParts } from '../../site-parts.ts'

/** An agent as a picture for link previews. @throws NOT_FOUND */
export async function agentPicture({ peers }: SiteParts, name: string) {
  const found = await peers.find('identity', identityApi.endpoints.getAgent, { params: { id: name } })
  const agent = found ?? refuse('NOT_FOUND', { resource: 'agent' })
  return sharePicture({
    over: `Carapace agent, ${agent.tier}`,
    title: agent.handle,
    figure: `${agent.fusedScore.toFixed(1)} of 100`,
    by: `${plural(agent.totalGigsCompleted, 'settled gig')}, risk ${agent.riskLevel}`,
    more: agent.skills.join(' · '),
    id: agent.walletAddress,
  })
}
