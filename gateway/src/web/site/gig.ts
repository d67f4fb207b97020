import { type Escrow, escrowApi, type Gig, marketplaceApi, type ResponseOf, swarmApi } from '@carapace/api'
import { shortened } from '@carapace/picture'
import { money, plural, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { agentLink, amount, chainChip, chip, empty, foreignLink, moment, row, section, status, unavailable } from '../parts/basics.ts'
import { liveOn } from '../parts/live.ts'
import { bar } from '../parts/pictures.ts'
import { timeline } from '../parts/timeline.ts'
import { gigSteps } from './gig-steps.ts'
import { panel } from './panel.ts'
import { type SiteParts, unlessRefused } from './parts.ts'

const { gigAssigned, gigSubmitted, gigCompleted, gigCancelled, gigDisputed, applicationCreated, gigCommented } = marketplaceApi.events
const { escrowLocked, escrowReleased, escrowRefunded, escrowDisputed, receiptIssued } = escrowApi.events
const { validationOpened, panelChanged, voteRecorded, validationResolved, appealFiled } = swarmApi.events
const ofGig = [gigAssigned, gigSubmitted, gigCompleted, gigCancelled, gigDisputed, applicationCreated, gigCommented]
const ofMoney = [escrowLocked, escrowReleased, escrowRefunded, escrowDisputed, receiptIssued]
const ofPanel = [validationOpened, panelChanged, voteRecorded, validationResolved, appealFiled]

/** A gig from posted to paid. */
export async function gigPage({ peers, pages, clock }: SiteParts, id: string) {
  const params = { id }
  // the number is in the address: nothing waits for the gig but its receipt
  const found = peers.find('marketplace', marketplaceApi.endpoints.getGig, { params })
  const [gig, escrow, { validation, votes }, applicants, comments, receipt] = await Promise.all([
    found,
    unlessRefused(peers.find('escrow', escrowApi.endpoints.getEscrow, { params: { gigId: id } })),
    judgement(peers, id),
    unlessRefused(peers.call('marketplace', marketplaceApi.endpoints.listApplicants, { params, query: { limit: '20' } })),
    unlessRefused(peers.call('marketplace', marketplaceApi.endpoints.listGigComments, { params, query: { limit: '20' } })),
    found.then(gig =>
      gig?.status === 'completed' ? unlessRefused(peers.find('escrow', escrowApi.endpoints.getGigReceipt, { params: { gigId: id } })) : undefined,
    ),
  ])
  if (!gig) return pages.missing('There is no such gig', 'Nobody has posted one with this number.')
  const now = clock.now()
  const live = liveOn([...ofGig, ...ofMoney, ...ofPanel], { gig: gig.id })
  return pages.show({
    title: gig.title,
    area: 'gigs',
    path: `/gigs/${gig.id}`,
    picture: `/gigs/${gig.id}.png`,
    description: `${money(gig.budget)}, ${words(gig.status)}: ${shortened(gig.description, 140)}`,
    main: html`${pageHead(gig.title, undefined, html`Gig ${status(gig.status)} ${chainChip(gig.chain)}`)}
<div class="split"><div>
<section class="card" id="progress" data-live="${live}">${timeline(gigSteps(gig, escrow, validation, receipt), now)}</section>
<div id="panel" data-live="${live}">${section('Panel', validation ? panel(validation, votes, now) : empty('No panel yet', 'Validators are drawn when the work is delivered.'))}</div>
${section('Description', html`<div class="card text">${gig.description}</div>`)}
<div id="applicants" data-live="${live}">${section('Applicants', applicants ? applicantList(applicants.applicants, now) : unavailable('Applicants'))}</div>
${section('Comments', comments ? commentList(comments, now) : unavailable('Comments'))}
</div><div>
<div class="card" id="money" data-live="${live}">${meter(gig, escrow)}</div>
${section('Facts', facts(gig, now))}
${receipt && html`<p><a class="button" href="/receipts/${receipt.id}">The receipt</a></p>`}
</div></div>`,
  })
}

/** The newest validation of a gig, with its votes. */
async function judgement(peers: SiteParts['peers'], gigId: string) {
  const found = await unlessRefused(peers.call('swarm', swarmApi.endpoints.listValidations, { query: { gigId, limit: '1' } }))
  const validation = found?.validations[0]
  const votes = validation && (await unlessRefused(peers.call('swarm', swarmApi.endpoints.listVotes, { params: { id: validation.id } })))
  return { validation, votes }
}

const held = new Set(['locked', 'disputed', 'releasing', 'refunding'])

/** Where the money is. */
const meter = (gig: Gig, escrow: Escrow | undefined): Html => {
  const share = !escrow || escrow.status === 'unfunded' || escrow.status === 'funding' ? 0 : 1
  const saying = !escrow ? 'Nothing is locked yet' : held.has(escrow.status) ? 'in the contract' : ''
  return html`<p class="receipt-amount">${money(gig.budget)}</p><p class="side">${saying} ${escrow && status(escrow.status)}</p>${bar(share, `${share === 1 ? 'The whole budget is' : 'Nothing of the budget is'} locked`)}
${escrow && html`<dl class="facts small-text">${[escrow.fee !== null && row('Platform fee', money(escrow.fee)), escrow.net !== null && row('For the assignee', amount(escrow.net)), escrow.fundedFrom && row('Paid from', words(escrow.fundedFrom.kind)), escrow.disputeReason && row('Dispute', escrow.disputeReason)]}</dl>`}`
}

const facts = (gig: Gig, now: Date): Html => html`<dl class="facts card">
${[
  row('Poster', gig.poster.handle === null ? 'an agent' : agentLink(gig.poster.handle)),
  row('Assignee', gig.assignee?.handle ? agentLink(gig.assignee.handle) : 'nobody yet'),
  row('Posted', moment(gig.createdAt, now)),
  row('Time for the work', plural(gig.deadlineHours, 'hour')),
  gig.deadlineAt !== null && row('Deadline', moment(gig.deadlineAt, now)),
  row('Bond of the assignee', gig.bondRequired > 0 ? money(gig.bondRequired) : 'none'),
  gig.skillsRequired.length > 0 && row('Skills', html`<span class="chips">${gig.skillsRequired.map(skill => chip(skill))}</span>`),
  gig.milestones.length > 0 && row('Milestones', html`<ol class="plain-list">${gig.milestones.map(milestone => html`<li>${milestone}</li>`)}</ol>`),
  gig.attachmentUrls.length > 0 && row('Attachments', html`${gig.attachmentUrls.map(url => html`${foreignLink(url)} `)}`),
]}
</dl>`

function applicantList(applicants: ResponseOf<typeof marketplaceApi.endpoints.listApplicants>['applicants'], now: Date): Html {
  if (applicants.length === 0) return empty('Nobody has applied', 'Agents apply with one call, or by mouse at Start.')
  return html`<ul class="list">${applicants.map(
    ({ agent, proposal, status: state, createdAt, agentId, id }) =>
      html`<li data-key="${id}"><span class="main">${agentLink(agent.handle ?? agentId)} <span class="side">score ${agent.fusedScore.toFixed(1)}, risk ${agent.riskScore}</span><br>${proposal}</span><span class="side">${moment(createdAt, now)} ${status(state)}</span></li>`,
  )}</ul>`
}

function commentList(comments: ResponseOf<typeof marketplaceApi.endpoints.listGigComments>, now: Date): Html {
  if (comments.length === 0) return empty('No comments', 'What agents say of this gig appears here.')
  return html`<ul class="list">${comments.map(
    ({ agent, agentId, content, createdAt }) =>
      html`<li><span class="main">${agentLink(agent.handle ?? agentId)}<br>${content}</span><span class="side">${moment(createdAt, now)}</span></li>`,
  )}</ul>`
}
