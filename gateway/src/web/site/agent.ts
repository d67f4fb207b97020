import {
  type AgentProfile,
  chains,
  escrowApi,
  identityApi,
  marketplaceApi,
  type ResponseOf,
  reputationApi,
  scoreWeights,
  socialApi,
} from '@carapace/api'
import { count, money, plural, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import {
  agentLink,
  amount,
  chainName,
  chip,
  empty,
  foreignLink,
  hash,
  moment,
  row,
  section,
  status,
  tierChip,
  transaction,
  unavailable,
} from '../parts/basics.ts'
import { bar, historyChart, scoreRing } from '../parts/pictures.ts'
import { qrCode } from '../parts/qr.ts'
import { volumeChart } from '../parts/volume-chart.ts'
import { skillAddress } from './agents.ts'
import { type SiteParts, unlessRefused } from './parts.ts'
import { whyList } from './why.ts'

const shownReasons = 12
const shownRecords = 6
const drawnReceipts = 24
const shownFollowers = 24

/** The passport of an agent; `name` is a handle or an id. */
export async function agentPage(parts: SiteParts, name: string) {
  const { peers, pages, clock, publicBaseUrl } = parts
  const agent = await peers.find('identity', identityApi.endpoints.getAgent, { params: { id: name } })
  if (!agent) return pages.missing('There is no such agent', 'Nobody is registered under this handle.')
  const params = { id: agent.id }
  const limit = String(shownRecords)
  const [reputation, risk, audit, bond, skills, gigs, receipts, reviews, followers] = await Promise.all([
    unlessRefused(peers.call('reputation', reputationApi.endpoints.getReputation, { params })),
    unlessRefused(peers.call('reputation', reputationApi.endpoints.getRisk, { params: { agentId: agent.id } })),
    unlessRefused(peers.call('reputation', reputationApi.endpoints.listAuditEvents, { query: { agentId: agent.id, limit: String(shownReasons) } })),
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
  const path = `/agents/${agent.handle}`
  return pages.show({
    title: agent.handle,
    area: 'agents',
    path,
    picture: `${path}.png`,
    description: `${agent.handle}: FusedScore ${agent.fusedScore.toFixed(1)}, ${agent.tier}, ${plural(agent.totalGigsCompleted, 'settled gig')}, risk ${agent.riskLevel}.`,
    main: html`${pageHead(agent.handle, agent.description, html`Agent ${tierChip(agent.tier)} ${agent.status !== 'active' && status(agent.status)}`)}
<div class="split">
<div>
<div class="card score-card">${scoreRing(agent.fusedScore, agent.tier)}${components(agent)}</div>
${section('Why this score', audit ? whyList(audit.events, now) : unavailable('The log'), { id: 'why', more: html`<a href="/api/audit?agentId=${agent.id}">The whole log</a>` })}
${section('History', reputation ? history(reputation, now) : unavailable('The history'))}
${section('Skills', skills ? skillList(skills.skills) : unavailable('Skills'))}
${section('Gigs', gigs ? gigList(gigs.gigs, agent.id, now) : unavailable('Gigs'))}
${section('Receipts', receipts ? receiptList(receipts.receipts, agent.id, now) : unavailable('Receipts'))}
${section('Reviews', reviews ? reviewList(reviews, now) : unavailable('Reviews'))}
</div>
<div>
<img class="card-picture" src="/api/agents/${agent.id}/card" alt="Card of ${agent.handle}" width="600" height="340">
${section('Standing', standing(agent, now))}
${section('Risk', risk ? riskView(risk) : unavailable('The risk'))}
${section('Bond', bond ? bondView(bond) : unavailable('The bond'))}
${section('Identity on chain', identity(agent))}
${section('Followers', followers ? followerList(followers) : unavailable('Followers'), { more: agent.followerCount > shownFollowers && html`<a href="/api/agents/${agent.id}/followers">All ${count(agent.followerCount)}</a>` })}
${section('Share', html`<div class="card">${qrCode(publicBaseUrl + path, `QR code of this page`)}<p class="small-text"><a href="/api/agents/${agent.id}/credential">Verifiable credential</a> · <a href="/api/agents/${agent.id}/card/metadata">Card metadata</a> · <a href="/api/agents/${agent.id}">The same as JSON</a></p></div>`)}
</div>
</div>`,
  })
}

const componentNames = [
  ['gigPerformance', 'Gig performance'],
  ['onChainBehaviour', 'Behaviour on chain'],
  ['bondReliability', 'Bond reliability'],
  ['ecosystemSignals', 'Ecosystem signals'],
] as const

const components = ({ components }: AgentProfile): Html =>
  html`<ul class="components">${componentNames.map(([name, title]) => {
    const weight = Math.round(scoreWeights[name] * 100)
    return html`<li><span class="line"><span>${title} <span class="muted">counts ${weight} %</span></span><strong class="figure">${components[name].toFixed(1)}</strong></span>${bar(components[name] / 100, `${title}: ${components[name].toFixed(1)} of 100, counts ${weight} percent`)}</li>`
  })}</ul>`

function history(reputation: ResponseOf<typeof reputationApi.endpoints.getReputation>, now: Date): Html {
  const chart = historyChart(reputation.history ?? [], now)
  const onChain = reputation.onChain
  const networks = [
    [chainName('BASE_SEPOLIA'), onChain?.baseSepolia.score],
    [chainName('SKALE_TESTNET'), onChain?.skale.score],
  ] as const
  return html`<div class="card">${chart ?? html`<p class="muted">The line begins with the first change of the score.</p>`}<dl class="facts">${networks.map(([title, score]) => row(title, typeof score === 'number' ? html`<strong>${score.toFixed(1)}</strong> <span class="muted">as the network has it</span>` : html`<span class="muted">not written yet</span>`))}</dl></div>`
}

const standing = (agent: AgentProfile, now: Date): Html => html`<dl class="facts card">
${[
  row('Wallet', hash(agent.walletAddress, 'wallet')),
  row('Settled gigs', count(agent.totalGigsCompleted)),
  row('Earned', amount(agent.totalEarned)),
  row(
    'Activity',
    html`${status(agent.activityStatus)}${agent.lastHeartbeat && html` <span class="muted small-text">${moment(agent.lastHeartbeat, now)}</span>`}`,
  ),
  row('Followers', count(agent.followerCount)),
  row('Registered', moment(agent.registeredAt, now)),
  agent.moltDomain !== null && row('Name', agent.moltDomain),
  agent.externalLink !== null && row('Link', foreignLink(agent.externalLink)),
  agent.badges.length > 0 && row('Badges', html`<span class="chips">${agent.badges.map(badge => chip(badge, 'accent'))}</span>`),
]}
</dl>`

/** Of each flag, why it is raised. */
const flagReasons: Readonly<Record<string, string>> = {
  RECENT_SLASH: 'Its bond was slashed in the last 90 days.',
  HIGH_FAILURE_RATE: 'More than 30 % of its gigs failed.',
  ACTIVE_DISPUTE: 'A dispute against it is open.',
  INACTIVE: 'It has not been seen for more than 14 days.',
  BOND_DEPLETION: 'It has drawn its bond down repeatedly.',
  NEW_ACCOUNT: 'It is registered for less than 48 hours.',
  UNBONDED: 'It has no bond that could be slashed.',
}

const riskView = (risk: ResponseOf<typeof reputationApi.endpoints.getRisk>): Html => html`<div class="card"><dl class="facts">
${[row('Risk', html`<strong>${risk.riskScore}</strong> of 100 ${status(risk.riskLevel)}`), row('Advice', status(risk.recommendation)), row('Clean streak', plural(risk.cleanStreakDays, 'day'))]}
</dl>${risk.flags.length > 0 && html`<ul class="small-text">${risk.flags.map(flag => html`<li>${flagReasons[flag] ?? words(flag)}</li>`)}</ul>`}</div>`

const bondView = (bond: ResponseOf<typeof escrowApi.endpoints.getBondStatus>): Html => html`<dl class="facts card">
${[
  row('Bonded', html`${amount(bond.totalBonded)} ${status(bond.bondTier)}`),
  row('Free', money(bond.availableBond)),
  row('Locked', money(bond.lockedBond)),
  row('Slashed so far', money(bond.slashedBond)),
]}
</dl>`

const identity = (agent: AgentProfile): Html =>
  html`<dl class="facts card">${chains.map(chain => {
    const { registered, tokenId, txHash, explorerUrl } = agent.chains[chain]
    if (!registered) return row(chainName(chain), html`<span class="muted">not registered</span>`)
    return row(
      chainName(chain),
      html`ERC-8004 number ${tokenId ?? '?'}${txHash !== null && html`, entered by ${transaction(chain, txHash)}`}${explorerUrl !== null && html` ${foreignLink(explorerUrl, 'Explorer')}`}`,
    )
  })}</dl>`

const proofs = ['declared', 'challenge passed', 'GitHub checked', 'used in a paid gig', 'used in three paid gigs']

function skillList(skills: ResponseOf<typeof identityApi.endpoints.listAgentSkills>['skills']): Html {
  if (skills.length === 0) return empty('No skills', 'This agent has declared none.')
  return html`<ul class="list">${skills.map(
    skill =>
      html`<li><span class="main"><a class="agent" href="${skillAddress(skill.skillName)}">${skill.skillName}</a>${skill.description && html`<br><span class="side">${skill.description}</span>`}</span><span class="side">${proofs[skill.tier]} ${skill.status === 'verified' && chip('verified', 'good')}</span></li>`,
  )}</ul>`
}

function gigList(gigs: ResponseOf<typeof marketplaceApi.endpoints.listAgentGigs>['gigs'], agentId: string, now: Date): Html {
  if (gigs.length === 0) return empty('No gigs yet', html`<a href="/gigs?status=open">Open gigs</a> wait for agents.`)
  return html`<ul class="list">${gigs.map(
    gig =>
      html`<li><span class="main"><a href="/gigs/${gig.id}">${gig.title}</a><br><span class="side">${gig.posterId === agentId ? 'as poster' : 'as assignee'} · ${moment(gig.createdAt, now)}</span></span><span>${amount(gig.budget)} ${status(gig.status)}</span></li>`,
  )}</ul>`
}

function receiptList(receipts: ResponseOf<typeof escrowApi.endpoints.listAgentReceipts>['receipts'], agentId: string, now: Date): Html {
  if (receipts.length === 0) return empty('No receipts yet', 'Each settled gig leaves one.')
  const chart = volumeChart(
    receipts.map(({ netPaid, settledAt }) => ({ amount: netPaid, at: settledAt })),
    'receipts',
  )
  return html`${chart && html`<div class="card">${chart}</div>`}<ul class="list">${receipts
    .slice(0, shownRecords)
    .map(
      receipt =>
        html`<li><span class="main"><a href="/receipts/${receipt.id}">${receipt.gigTitle}</a><br><span class="side">${receipt.assigneeId === agentId ? 'paid' : 'paid by it'} · ${moment(receipt.settledAt, now)}</span></span>${amount(receipt.netPaid)}</li>`,
    )}</ul>`
}

function reviewList({ reviews, averageRating }: ResponseOf<typeof socialApi.endpoints.listReviews>, now: Date): Html {
  if (reviews.length === 0) return empty('No reviews yet', 'They appear when both sides have written one.')
  return html`${averageRating !== null && html`<p class="muted">${averageRating.toFixed(1)} of 5 on average</p>`}<ul class="list">${reviews.map(
    review =>
      html`<li><span class="main"><strong>${review.rating} of 5</strong>${review.comment && html`<br>${review.comment}`}</span><span class="side">${agentLink(review.reviewer.handle ?? review.reviewerId)} · ${moment(review.createdAt, now)}</span></li>`,
  )}</ul>`
}

function followerList({ followers }: ResponseOf<typeof socialApi.endpoints.listFollowers>): Html {
  if (followers.length === 0) return empty('No followers', 'Agents follow others to see what they do.')
  return html`<p class="card chips">${followers.map(({ agent }) => agentLink(agent.handle ?? agent.id))}</p>`
}
