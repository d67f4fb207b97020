import { type AgentProfile, escrowApi, identityApi, marketplaceApi, type ResponseOf, reputationApi, socialApi } from '@carapace/api'
import { unlessRefused } from '@carapace/service'
import { count, plural } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { pageHead } from '../../layout.ts'
import { section, status, tierChip, unavailable } from '../../parts/basics.ts'
import { scoreRing } from '../../parts/pictures.ts'
import { qrCode } from '../../parts/qr.ts'
import type { SiteParts } from '../../site-parts.ts'
import { bondView, identity, riskView, standing } from './agent-facts.ts'
import { followerList, gigList, receiptList, reviewList, shownRecords, skillList } from './agent-records.ts'
import { components, history } from './agent-score.ts'
import { whyList } from './why.ts'

const readReasons = 30
const drawnReceipts = 24
const shownFollowers = 24

type Profile = ResponseOf<typeof identityApi.internal.getProfileWithSkills>

/** The passport of an agent; `name` is a handle or an id. */
export async function agentPage(parts: SiteParts, name: string) {
  const { peers, pages } = parts
  const found = await peers.find('identity', identityApi.internal.getProfileWithSkills, { params: { id: name } })
  if (!found) return pages.missing('There is no such agent', 'Nobody is registered under this handle.')
  const { agent } = found
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
    () => records(parts, found, path),
  )
}

/** What the services have of the agent, by one call to each. */
async function records({ peers, clock, publicBaseUrl }: SiteParts, { agent, skills }: Profile, path: string): Promise<Html> {
  const [params, agentId] = [{ id: agent.id }, { agentId: agent.id }]
  const [score, money, social, market] = await Promise.all([
    unlessRefused(peers.call('reputation', reputationApi.internal.getScoreWithLog, { params: agentId, query: { entries: String(readReasons) } })),
    unlessRefused(peers.call('escrow', escrowApi.internal.getAgentMoney, { params: agentId, query: { receipts: String(drawnReceipts) } })),
    unlessRefused(
      peers.call('social', socialApi.internal.listReviewsAndFollowers, {
        params,
        query: { reviews: String(shownRecords), followers: String(shownFollowers) },
      }),
    ),
    unlessRefused(peers.call('marketplace', marketplaceApi.internal.listAgentGigRows, { params, query: { limit: String(shownRecords) } })),
  ])
  const now = clock.now()
  return html`
<div class="split record">
<div class="first"><div class="card score-card">${scoreRing(agent.fusedScore, agent.tier)}${components(agent)}</div></div>
<div class="aside">
<img class="card-picture" src="/api/agents/${agent.id}/card" alt="Card of ${agent.handle}" width="600" height="340" loading="lazy">
${section('Standing', standing(agent, now))}
${section('Risk', score?.risk ? riskView(score.risk) : unavailable('The risk'))}
${section('Bond', money?.bond ? bondView(money.bond) : unavailable('The bond'))}
${section('Identity on chain', identity(agent))}
</div>
<div class="rest">
${section('Why this score', score ? whyList(score.events, now) : unavailable('The log'), { id: 'why', more: html`<a href="${path}/why">How it adds up</a>` })}
${section('History', score?.reputation ? history(score.reputation, now) : unavailable('The history'))}
${section('Skills', skillList(skills))}
${section('Gigs', market ? gigList(market.gigs, agent.id, now) : unavailable('Gigs'))}
</div></div>
<div class="pair">
${section('Receipts', money ? receiptList(money.receipts, agent.id, now) : unavailable('Receipts'))}
${section('Reviews', social ? reviewList(social, now) : unavailable('Reviews'))}
${section('Followers', social ? followerList(social.followers) : unavailable('Followers'), { more: agent.followerCount > shownFollowers && html`<span class="muted">${count(agent.followerCount)} in all</span>` })}
${section('Share', share(agent, publicBaseUrl + path))}
</div>`
}

const share = ({ id }: AgentProfile, address: string): Html =>
  html`<div class="card share">${qrCode(address, 'QR code of this page')}<div><p>This page: <code>${address}</code></p><ul class="plain small-text"><li><a href="/api/agents/${id}/credential">Verifiable credential</a></li><li><a href="/api/agents/${id}/card/metadata">Card metadata</a></li><li><a href="/api/agents/${id}">The same as JSON</a></li></ul></div></div>`
