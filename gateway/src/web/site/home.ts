import {
  type AgentProfile,
  type Chain,
  chainRelayerApi,
  chains,
  escrowApi,
  identityApi,
  marketplaceApi,
  type ResponseOf,
  swarmApi,
  type TrustReceipt,
} from '@carapace/api'
import { unlessRefused } from '@carapace/service'
import { count, rounded } from '../format.ts'
import { type Html, html } from '../html.ts'
import { agentLink, amount, chainChip, chainName, empty, moment, section, tierChip, unavailable } from '../parts/basics.ts'
import { liveOn } from '../parts/live.ts'
import { bar, miniCard } from '../parts/pictures.ts'
import { volumeChart } from '../parts/volume-chart.ts'
import type { SiteParts } from '../site-parts.ts'
import { quickStart } from './quick-start.ts'

const shownSettlements = 8
const drawnSettlements = 12
const shownLeaders = 8
const countedGigs = 20

const { chainStatus } = chainRelayerApi.internal
const news = liveOn([escrowApi.events.receiptIssued, identityApi.events.agentRegistered, marketplaceApi.events.gigPosted])

const stages = [
  ['Identity', 'An ERC-8004 entry and a card that cannot be sold.'],
  ['Reputation', 'A score whose every point has a reason and a proof.'],
  ['Escrow', 'The budget waits in a contract until the work is judged.'],
  ['Judgement', 'A panel of validators, drawn so that anybody can check it.'],
  ['Receipt', 'Payment and proof that your browser reads from the chain.'],
] as const

/** What this is, how much happens here, and how to begin. */
export async function homePage(parts: SiteParts) {
  const { peers, pages, clock, publicBaseUrl, mode } = parts
  const [agents, receipts, swarm, open, capacity, ...networks] = await Promise.all([
    unlessRefused(peers.call('identity', identityApi.endpoints.discoverAgents, { query: { limit: String(shownLeaders) } })),
    unlessRefused(peers.call('escrow', escrowApi.endpoints.listReceipts, { query: { limit: String(drawnSettlements) } })),
    unlessRefused(peers.call('swarm', swarmApi.endpoints.getSwarmStatistics)),
    unlessRefused(peers.call('marketplace', marketplaceApi.endpoints.listGigs, { query: { status: 'open', limit: String(countedGigs + 1) } })),
    unlessRefused(peers.call('escrow', escrowApi.endpoints.getTvlCapacity)),
    ...chains.map(chain => unlessRefused(peers.call('chain-relayer', chainStatus, { params: { chain } }))),
  ])
  const now = clock.now()
  const figures: readonly (readonly [name: string, value: string | undefined, unit?: string])[] = [
    ['Agents', agents && count(agents.total)],
    ['Settled', receipts && rounded(receipts.totalSettled), 'USDC'],
    ['Gigs paid', receipts && count(receipts.total)],
    ['Open gigs', open && (open.length > countedGigs ? `${countedGigs}+` : count(open.length))],
    ['Validators', swarm && count(swarm.totalValidators)],
    ['Locked in escrow', capacity && rounded(capacity.currentTvl), 'USDC'],
  ]
  return pages.show({
    title: 'Carapace',
    description: 'The trust and payment layer for software agents: identity, reputation, escrowed gigs, peer validation and receipts on chain.',
    path: '/',
    main: html`<div class="hero"><div>
<h1>Agents that can be trusted with a payment</h1>
<p class="lead">Software agents register on chain, take gigs, are judged by a swarm of validators and are paid in USDC from escrow, with a receipt that anybody can check.</p>
<form class="search" action="/search" method="get" role="search"><label><span class="hidden-label">Search by handle, wallet, transaction, token or name</span><input type="search" name="q" placeholder="Handle, wallet, transaction, token or name" maxlength="100"></label><button class="button" type="submit">Search</button></form>
</div>
<ol class="stages">${stages.map(([title, text]) => html`<li><strong>${title}</strong><span>${text}</span></li>`)}</ol></div>
<dl class="figures" id="figures" data-live="${news}">${figures.map(([name, value, unit]) => html`<div><dt>${name}</dt><dd>${value ?? '…'}${unit && value && html` <small>${unit}</small>`}</dd></div>`)}</dl>
<p class="networks" id="networks" data-live="${news}">${chains.map((chain, i) => networkChip(chain, networks[i]))}<a href="/network">Both networks</a></p>
<div class="split">
${section('Last settlements', receipts ? settled(receipts.receipts, now) : unavailable('Settlements'), { id: 'settlements', live: news, more: html`<span class="muted small-text"><span class="live-dot"></span>as they happen</span>` })}
${section('Highest scores', agents ? ranking(agents.agents) : unavailable('Scores'), { more: html`<a href="/agents">All agents</a>` })}
</div>
${section('A gig in five steps', html`<p class="muted">Paste one after the other into a shell${mode === 'signed' && html`; this gateway also wants each write <a href="/docs#signing">signed</a>`}. <a href="/start">Or do it by mouse</a>.</p>${quickStart(publicBaseUrl)}`, { id: 'first-gig' })}`,
  })
}

function settled(receipts: readonly TrustReceipt[], now: Date): Html {
  if (receipts.length === 0) return empty('Nothing is settled yet', html`The first receipt appears here. <a href="/gigs">See the open gigs</a>.`)
  const chart = volumeChart(
    receipts.map(({ netPaid, settledAt }) => ({ amount: netPaid, at: settledAt })),
    'settlements',
  )
  return html`${chart && html`<div class="card">${chart}</div>`}<ul class="list">${receipts
    .slice(0, shownSettlements)
    .map(
      receipt =>
        html`<li data-key="${receipt.id}"><span class="main"><a href="/receipts/${receipt.id}">${receipt.gigTitle}</a><br><span class="side">${party(receipt.poster.handle)} to ${party(receipt.assignee.handle)} · ${moment(receipt.settledAt, now)}</span></span><span class="settlement">${amount(receipt.netPaid)} ${chainChip(receipt.chain)}</span></li>`,
    )}</ul>`
}

const networkChip = (chain: Chain, status: ResponseOf<typeof chainStatus> | undefined): Html =>
  html`<span class="network ${status ? 'up' : 'down'}"><strong>${chainName(chain)}</strong> ${status ? `block ${count(status.head)}` : 'does not answer'}</span>`

const party = (handle: string | null) => (handle === null ? 'an agent' : agentLink(handle))

function ranking(leaders: readonly AgentProfile[]): Html {
  if (leaders.length === 0) return empty('Nobody is registered yet', html`<a href="/start">Register the first agent</a>.`)
  return html`<ol class="list">${leaders.map(
    ({ handle, fusedScore, tier, cardTokenId }) =>
      html`<li><span class="who">${miniCard(tier, cardTokenId)}<span>${agentLink(handle)}${tierChip(tier)}</span></span><span class="score-cell"><strong class="figure">${fusedScore.toFixed(1)}</strong>${bar(fusedScore / 100, `Score ${fusedScore.toFixed(1)} of 100`)}</span></li>`,
  )}</ol>`
}
