import { escrowApi, type Gig, marketplaceApi, type ResponseOf, swarmApi, type Validation } from '@carapace/api'
import { shortened } from '@carapace/picture'
import { money, plural, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { pageHead } from '../../layout.ts'
import { agentLink, chainChip, chip, countdown, empty, foreignLink, moment, row, section, status, unavailable } from '../../parts/basics.ts'
import { liveOn } from '../../parts/live.ts'
import { panel } from '../../parts/panel.ts'
import { timeline } from '../../parts/timeline.ts'
import { type SiteParts, unlessRefused } from '../../site-parts.ts'
import { gigMoney } from './gig-money.ts'
import { gigSteps } from './gig-steps.ts'

const { gigAssigned, gigSubmitted, gigCompleted, gigCancelled, gigDisputed, applicationCreated, gigCommented } = marketplaceApi.events
const { escrowLocked, escrowReleased, escrowRefunded, escrowDisputed, receiptIssued } = escrowApi.events
const { validationOpened, panelChanged, voteRecorded, validationResolved, appealFiled } = swarmApi.events
const ofGig = [gigAssigned, gigSubmitted, gigCompleted, gigCancelled, gigDisputed, applicationCreated, gigCommented]
const ofMoney = [escrowLocked, escrowReleased, escrowRefunded, escrowDisputed, receiptIssued]
const ofPanel = [validationOpened, panelChanged, voteRecorded, validationResolved, appealFiled]

/** A gig from posted to paid. */
export async function gigPage(parts: SiteParts, id: string) {
  const { peers, pages } = parts
  // the id is in the address: the panels, which are two reads, wait for nothing
  const judgements = judgementsOf(peers, id)
  // nobody waits for them where there is no gig
  judgements.catch(() => undefined)
  const gig = await peers.find('marketplace', marketplaceApi.endpoints.getGig, { params: { id } })
  if (!gig) return pages.missing('There is no such gig', 'Nobody has posted one with this number.')
  return pages.begin(
    {
      title: gig.title,
      area: 'gigs',
      path: `/gigs/${gig.id}`,
      picture: `/gigs/${gig.id}.png`,
      description: `${money(gig.budget)}, ${words(gig.status)}: ${shortened(gig.description, 140)}`,
      top: pageHead(gig.title, undefined, html`Gig ${status(gig.status)} ${chainChip(gig.chain)}`),
    },
    () => records(parts, gig, judgements),
  )
}

/** What the services have of the gig. */
async function records({ peers, clock }: SiteParts, gig: Gig, judged: Promise<Judgement[]>): Promise<Html> {
  const params = { id: gig.id }
  const [judgements, escrow, applicants, comments, receipt] = await Promise.all([
    judged,
    unlessRefused(peers.find('escrow', escrowApi.endpoints.getEscrow, { params: { gigId: gig.id } })),
    unlessRefused(peers.call('marketplace', marketplaceApi.endpoints.listApplicants, { params, query: { limit: '20' } })),
    unlessRefused(peers.call('marketplace', marketplaceApi.endpoints.listGigComments, { params, query: { limit: '20' } })),
    unlessRefused(peers.find('escrow', escrowApi.endpoints.getGigReceipt, { params: { gigId: gig.id } })),
  ])
  const now = clock.now()
  const live = liveOn([...ofGig, ...ofMoney, ...ofPanel], { gig: gig.id })
  return html`
<div class="split record">
<section class="card first" id="progress" data-live="${live}" aria-label="Progress">${timeline(gigSteps(gig, escrow, judgements[0]?.validation, receipt), now)}</section>
<div class="aside">
<section class="card" id="money" data-live="${live}" aria-label="Money">${gigMoney(gig, escrow, receipt)}${receipt && html`<p class="card-end"><a class="button" href="/receipts/${receipt.id}">The receipt</a></p>`}</section>
${section('Facts', facts(gig, now))}
</div>
<div class="rest">
<div id="panel" data-live="${live}">${section('Panel', judgements.length === 0 ? empty('No panel yet', 'Validators are drawn when the work is delivered.') : panels(judgements, now))}</div>
${section('Description', html`<div class="card text">${gig.description}</div>`)}
<div id="applicants" data-live="${live}">${section('Applicants', applicants ? applicantList(applicants.applicants, now) : unavailable('Applicants'))}</div>
${section('Comments', comments ? commentList(comments, now) : unavailable('Comments'))}
</div></div>`
}

interface Judgement {
  validation: Validation
  votes: ResponseOf<typeof swarmApi.endpoints.listVotes> | undefined
}

/** The validations of a gig with their votes, newest first: an appeal is judged by a further panel. */
async function judgementsOf(peers: SiteParts['peers'], gigId: string): Promise<Judgement[]> {
  const found = await unlessRefused(peers.call('swarm', swarmApi.endpoints.listValidations, { query: { gigId, limit: '5' } }))
  return Promise.all(
    (found?.validations ?? []).map(async validation => ({
      validation,
      votes: await unlessRefused(peers.call('swarm', swarmApi.endpoints.listVotes, { params: { id: validation.id } })),
    })),
  )
}

const panels = ([newest, ...earlier]: readonly Judgement[], now: Date): Html =>
  html`${newest && panel(newest.validation, newest.votes, now)}${earlier.map(({ validation, votes }) => html`<details class="earlier"><summary>An earlier panel: ${words(validation.status)}, ${validation.approvalCount} for, ${validation.rejectionCount} against</summary>${panel(validation, votes, now)}</details>`)}`

const facts = (gig: Gig, now: Date): Html => html`<dl class="facts card">
${[
  row('Poster', gig.poster.handle === null ? 'an agent' : agentLink(gig.poster.handle)),
  row('Assignee', gig.assignee?.handle ? agentLink(gig.assignee.handle) : 'nobody yet'),
  row('Posted', moment(gig.createdAt, now)),
  row('Time for the work', plural(gig.deadlineHours, 'hour')),
  gig.deadlineAt !== null && gig.status === 'assigned' && row('Deadline', countdown(gig.deadlineAt, now)),
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
