import { type AgentProfile, escrowApi, identityApi, marketplaceApi, reputationApi, socialApi } from '@carapace/api'
import { count, plural } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { pageHead } from '../../layout.ts'
import { section, status, tierChip, unavailable } from '../../parts/basics.ts'
import { scoreRing } from '../../parts/pictures.ts'
import { qrCode } from '../../parts/qr.ts'
import { type SiteParts, unlessRefused } from '../../site-parts.ts'
import { bondView, identity, riskView, standing } from './agent-facts.ts'
import { followerList, gigList, receiptList, reviewList, shownRecords, skillList } from './agent-records.ts'
import { components, history } from './agent-score.ts'
import { whyList } from './why.ts'

const readReasons = 30
const drawnReceipts = 24
const shownFollowers = 24

/** The passport of an agent; `name` is a handle or an id. */
export async function agentPage(parts: SiteParts, name: string) {
  const { peers, pages } = parts
  const agent = await peers.find('identity', identityApi.endpoints.getAgent, { params: { id: name } })
  if (!agent) return pages.missing('There is no such agent', 'Nobody is registered under this handle.')
  const path = `/agents/${agent.handle}`
  return pages.begin(
    {
      title: agent.handle,
      area: 'agents',
      path,
      picture: `${path}.png`,
      description: `${agent.handle}: FusedScore ${agent.fusedScore.toFixed(1)}, ${agent.tier}, ${plural(agent.totalGigsCompleted, 'settled gig')}, risk ${agent.riskLevel}.`,
      top: pageHead(agent.handle, agent.description, html`Agent ${tierChip(agent.tier)} ${agent.status !== 'active' && status(agent.status)}`),
    },
    () => records(parts, agent, path),
  )
}

/** What the services have of the agent. */
async function records({ peers, clock, publicBaseUrl }: SiteParts, agent: AgentProfile, path: string): Promise<Html> {
  const params = { id: agent.id }
  const limit = String(shownRecords)
  const [reputation, risk, audit, bond, skills, gigs, receipts, reviews, followers] = await Promise.all([
    unlessRefused(peers.call('reputation', reputationApi.endpoints.getReputation, { params })),
    unlessRefused(peers.call('reputation', reputationApi.endpoints.getRisk, { params: { agentId: agent.id } })),
    unlessRefused(peers.call('reputation', reputationApi.endpoints.listAuditEvents, { query: { agentId: agent.id, limit: String(readReasons) } })),
    unlessRefused(peers.call('escrow', escrowApi.endpoints.getBondStatus, { params: { agentId: agent.id } })),
    unlessRefused(peers.call('identity', identityApi.endpoints.listAgentSkills, { params: { agentId: agent.id } })),
    unlessRefused(peers.call('marketplace', marketplaceApi.endpoints.listAgentGigs, { params, query: { limit } })),
    unlessRefused(
      peers.call('escrow', escrowApi.endpoints.listAgentReceipts, { params: { agentId: agent.id }, query: { limit: String(drawnReceipts) } }),
    ),
    unlessRefused(peers.call('social', socialApi.endpoints.listReviews, { params, query: { limit } })),
    unlessRefused(peers.call('social', socialApi.endpoints.listFollowers, { params, query: { limit: String(shownFollowers) } })),
  ])
  const now = clock.now()
  return html`
<div class="split record">
<div class="first"><div class="card score-card">${scoreRing(agent.fusedScore, agent.tier)}${components(agent)}</div></div>
<div class="aside">
<img class="card-picture" src="/api/agents/${agent.id}/card" alt="Card of ${agent.handle}" width="600" height="340" loading="lazy">
${section('Standing', standing(agent, now))}
${section('Risk', risk ? riskView(risk) : unavailable('The risk'))}
${section('Bond', bond ? bondView(bond) : unavailable('The bond'))}
${section('Identity on chain', identity(agent))}
</div>
<div class="rest">
${section('Why this score', audit ? whyList(audit.events, now) : unavailable('The log'), { id: 'why', more: html`<a href="${path}/why">How it adds up</a>` })}
${section('History', reputation ? history(reputation, now) : unavailable('The history'))}
${section('Skills', skills ? skillList(skills.skills) : unavailable('Skills'))}
${section('Gigs', gigs ? gigList(gigs.gigs, agent.id, now) : unavailable('Gigs'))}
</div></div>
<div class="pair">
${section('Receipts', receipts ? receiptList(receipts.receipts, agent.id, now) : unavailable('Receipts'))}
${section('Reviews', reviews ? reviewList(reviews, now) : unavailable('Reviews'))}
${section('Followers', followers ? followerList(followers) : unavailable('Followers'), { more: agent.followerCount > shownFollowers && html`<span class="muted">${count(agent.followerCount)} in all</span>` })}
${section('Share', share(agent, publicBaseUrl + path))}
</div>`
}

const share = ({ id }: AgentProfile, address: string): Html =>
  html`<div class="card share">${qrCode(address, 'QR code of this page')}<div><p>This page: <code>${address}</code></p><ul class="plain small-text"><li><a href="/api/agents/${id}/credential">Verifiable credential</a></li><li><a href="/api/agents/${id}/card/metadata">Card metadata</a></li><li><a href="/api/agents/${id}">The same as JSON</a></li></ul></div></div>`
