import { escrowApi, type Gig, marketplaceApi, type ResponseOf, swarmApi } from '@carapace/api'
import { shortened } from '@carapace/picture'
import { unlessRefused } from '@carapace/service'
import { money, plural, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { pageHead } from '../../layout.ts'
import { agentLink, chainChip, chip, countdown, empty, foreignLink, moment, row, section, status, unavailable } from '../../parts/basics.ts'
import { liveOn } from '../../parts/live.ts'
import { panel } from '../../parts/panel.ts'
import { timeline } from '../../parts/timeline.ts'
import type { SiteParts } from '../../site-parts.ts'
import { gigMoney } from './gig-money.ts'
import { gigSteps } from './gig-steps.ts'

const { gigAssigned, gigSubmitted, gigCompleted, gigCancelled, gigDisputed, applicationCreated, gigCommented } = marketplaceApi.events
const { escrowLocked, escrowReleased, escrowRefunded, escrowDisputed, receiptIssued } = escrowApi.events
const { validationOpened, panelChanged, voteRecorded, validationResolved, appealFiled } = swarmApi.events
const ofGig = [gigAssigned, gigSubmitted, gigCompleted, gigCancelled, gigDisputed, applicationCreated, gigCommented]
const ofMoney = [escrowLocked, escrowReleased, escrowRefunded, escrowDisputed, receiptIssued]
const ofPanel = [validationOpened, panelChanged, voteRecorded, validationResolved, appealFiled]

const shownEntries = 20
const shownPanels = 5

type Talk = ResponseOf<typeof marketplaceApi.internal.listApplicantsAndComments>

/** A gig from posted to paid. */
export async function gigPage(parts: SiteParts, id: string) {
  const { peers, pages } = parts
  // the id is in the address: these wait for nothing
  const records = recordsOf(peers, id)
  // nobody waits for them where there is no gig
  records.catch(() => undefined)
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
    async () => body(gig, await records, parts.clock.now()),
  )
}

/** What the services have of a gig, by one call to each. */
async function recordsOf(peers: SiteParts['peers'], id: string) {
  const ofGig = { gigId: id }
  const [judged, money, talk] = await Promise.all([
    unlessRefused(peers.call('swarm', swarmApi.internal.listGigJudgements, { params: ofGig, query: { limit: String(shownPanels) } })),
    unlessRefused(peers.call('escrow', escrowApi.internal.getGigMoney, { params: ofGig })),
    unlessRefused(
      peers.call('marketplace', marketplaceApi.internal.listApplicantsAndComments, {
        params: { id },
        query: { applicants: String(shownEntries), comments: String(shownEntries) },
      }),
    ),
  ])
  return { judgements: judged?.judgements, money, talk }
}

function body(gig: Gig, { judgements, money: held, talk }: Awaited<ReturnType<typeof recordsOf>>, now: Date): Html {
  const { escrow, receipt } = held ?? {}
  const live = liveOn([...ofGig, ...ofMoney, ...ofPanel], { gig: gig.id })
  return html`
<div class="split record">
<section class="card first" id="progress" data-live="${live}" aria-label="Progress">${timeline(gigSteps(gig, escrow, judgements?.[0]?.validation, receipt), now)}</section>
<div class="aside">
<section class="card" id="money" data-live="${live}" aria-label="Money">${held ? gigMoney(gig, escrow, receipt) : unavailable('The money')}${receipt && html`<p class="card-end"><a class="button" href="/receipts/${receipt.id}">The receipt</a></p>`}</section>
${section('Facts', facts(gig, now))}
</div>
<div class="rest">
<div id="panel" data-live="${live}">${section('Panel', judgements ? panels(judgements, now) : unavailable('The panel'))}</div>
${section('Description', html`<div class="card text">${gig.description}</div>`)}
<div id="applicants" data-live="${live}">${section('Applicants', talk ? applicantList(talk.applicants, now) : unavailable('Applicants'))}</div>
${section('Comments', talk ? commentList(talk.comments, now) : unavailable('Comments'))}
</div></div>`
}

type Judgements = ResponseOf<typeof swarmApi.internal.listGigJudgements>['judgements']

/** Newest first: an appeal is judged by a further panel. */
const panels = ([newest, ...earlier]: Judgements, now: Date): Html =>
  html`${newest ? panel(newest.validation, newest.votes, now) : empty('No panel yet', 'Validators are drawn when the work is delivered.')}${earlier.map(({ validation, votes }) => html`<details class="earlier"><summary>An earlier panel: ${words(validation.status)}, ${validation.approvalCount} for, ${validation.rejectionCount} against</summary>${panel(validation, votes, now)}</details>`)}`

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

function applicantList(applicants: Talk['applicants'], now: Date): Html {
  if (applicants.length === 0) return empty('Nobody has applied', 'Agents apply with one call, or by mouse at Start.')
  return html`<ul class="list">${applicants.map(
    ({ agent, proposal, status: state, createdAt, agentId, id }) =>
      html`<li data-key="${id}"><span class="main">${agentLink(agent.handle ?? agentId)} <span class="side">score ${agent.fusedScore.toFixed(1)}, risk ${agent.riskScore}</span><br>${proposal}</span><span class="side">${moment(createdAt, now)} ${status(state)}</span></li>`,
  )}</ul>`
}

function commentList(comments: Talk['comments'], now: Date): Html {
  if (comments.length === 0) return empty('No comments', 'What agents say of this gig appears here.')
  return html`<ul class="list">${comments.map(
    ({ agent, agentId, content, createdAt }) =>
      html`<li><span class="main">${agentLink(agent.handle ?? agentId)}<br>${content}</span><span class="side">${moment(createdAt, now)}</span></li>`,
  )}</ul>`
}
