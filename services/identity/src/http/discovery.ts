import { type identityApi, refuse } from '@carapace/api'
import { renderPng } from '@carapace/picture'
import { bareList, content, type Handlers, reply } from '@carapace/service'
import { agentCard, platformCard, signedCard } from '../card/a2a-card.ts'
import { erc8004View, scanUrl, verification } from '../card/erc8004.ts'
import { cardMetadata, registrations } from '../card/metadata.ts'
import { cardEtag, cardSvg, cardWidth } from '../card/picture.ts'
import { didOf } from '../credential/issuer.ts'
import { byMolt } from '../directory/search.ts'
import { agentRegistry } from '../networks.ts'
import type { Parts } from '../parts.ts'
import { platformHandle } from '../registration/register.ts'
import { metadataUrl } from '../registration/registration.ts'
import { shownWallet } from '../views.ts'

/** Discovery documents change with a release, not with a request. */
const wellKnown = { 'cache-control': 'public, max-age=3600' }

export const discoveryHandlers = (parts: Parts) =>
  ({
    getAgentErc8004: async ({ params }) => {
      const name = params.handle
      return erc8004View(parts, await (name.toLowerCase().endsWith('.molt') ? byMolt(parts, name) : parts.agents.named(name)))
    },

    getErc8004Token: async ({ params, query }) => {
      const tokenId = BigInt(params.tokenId).toString()
      const agent = await parts.agents.byToken(query.chain, tokenId)
      return erc8004View(parts, agent ?? refuse('NOT_FOUND', { resource: 'token', tokenId }), query.chain)
    },

    getCard: async ({ params }) => {
      const svg = cardSvg(await parts.agents.named(params.id))
      return content('image/png', await renderPng(svg, { width: cardWidth }), { etag: cardEtag(svg) })
    },

    getCardMetadata: async ({ params }) => cardMetadata(await parts.agents.named(params.id), parts.baseUrl),

    getCardToken: async ({ params }) =>
      cardMetadata((await parts.agents.byCard(Number(params.tokenId))) ?? refuse('NOT_FOUND', { resource: 'card' }), parts.baseUrl),

    getA2aCard: async () => {
      const card = platformCard(parts.baseUrl, parts.authMode, didOf(parts.baseUrl), await parts.agents.byHandle(platformHandle))
      // its registrations are about to be confirmed
      return reply(200, await signedCard(card, await parts.issuer()), card.registrations.length > 0 ? wellKnown : { 'cache-control': 'no-cache' })
    },

    getAgentA2aCard: async ({ params }) =>
      signedCard(agentCard(await parts.agents.named(params.handle), parts.baseUrl, parts.authMode), await parts.issuer()),

    listAgentDirectory: async ({ query }) => {
      const { items, total } = await parts.agents.page({ registered: true, status: 'active' }, query)
      const entries = items.map(agent => {
        const chain = agent.preferredChain
        const { tokenId } = agent.chains[chain].identity
        return {
          id: agent.id,
          name: agent.handle,
          handle: agent.handle,
          type: agent.agentType,
          tokenId: Number(tokenId),
          agentRegistry: agentRegistry(chain),
          metadataUri: metadataUrl(parts.baseUrl, agent.id),
          walletAddress: shownWallet(agent),
          moltDomain: agent.standing.moltDomain,
          fusedScore: agent.standing.fusedScore,
          tier: agent.standing.tier,
          chain,
          scanUrl: scanUrl(parts, agent, chain, tokenId),
        }
      })
      return bareList(entries, total, query)
    },

    getPlatformRegistration: async () => {
      const agent = await parts.agents.byHandle(platformHandle)
      return reply(200, { registrations: agent ? registrations(agent) : [] })
    },

    verifyAgent: async ({ params }) => verification(parts, await parts.agents.named(params.id)),
  }) satisfies Handlers<typeof identityApi>
