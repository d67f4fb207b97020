import { short } from '../web/format.ts'
import { type Html, html, type Piece } from '../web/html.ts'
import { agentLink, amount, chainChip, empty, foreignLink, moment, row, status } from '../web/parts/basics.ts'
import type { ActForm } from './act-form.ts'
import type { Dispute, Entry } from './read.ts'

/** The evidence of both parties, next to each other, the votes of the panel, and the decision. */
export function disputeView({ gig, escrow, panels }: Dispute, form: ActForm, now: Date): Html {
  const disputeRow = (isTheirs: boolean) =>
    isTheirs && escrow.disputeReason && row('Dispute', html`<span class="text">${escrow.disputeReason}</span>`)
  const [byPoster, byAssignee] = [escrow.disputedBy === gig.posterId, escrow.disputedBy !== null && escrow.disputedBy === gig.assigneeId]
  return html`<article class="card dispute">
<header class="part-head"><h3><a href="/gigs/${gig.id}">${gig.title}</a></h3><span>${amount(escrow.amount)} ${gig.chain && chainChip(gig.chain)}</span></header>
${!byPoster && !byAssignee && escrow.disputeReason && html`<p class="text">${escrow.disputeReason}</p>`}
<div class="sides">
<section><h4>Poster ${party(gig.poster, gig.posterId)}</h4><dl class="facts">${[
    row('Wanted', html`<span class="text">${gig.description}</span>`),
    gig.milestones?.length > 0 &&
      row('Milestones', html`<ol class="plain-list">${gig.milestones.map((milestone: string) => html`<li>${milestone}</li>`)}</ol>`),
    disputeRow(byPoster),
  ]}</dl></section>
<section><h4>Assignee ${party(gig.assignee, gig.assigneeId)}</h4><dl class="facts">${[
    row('Delivered', gig.deliverable?.url ? foreignLink(gig.deliverable.url) : 'nothing'),
    gig.deliverable?.note && row('Note', html`<span class="text">${gig.deliverable.note}</span>`),
    ...panels.flatMap(({ validation }) => (validation.appeal ? [row('Appeal', html`<span class="text">${validation.appeal.statement}</span>`)] : [])),
    disputeRow(byAssignee),
  ]}</dl></section>
</div>
<h4>Panel</h4>
${panelVotes(panels, now)}
${form('resolve', { gigId: String(gig.id) })}
</article>`
}

const party = (side: Entry | null | undefined, id: unknown): Piece =>
  side?.handle ? agentLink(side.handle) : id ? html`<code title="${String(id)}">${short(String(id))}</code>` : ''

function panelVotes(panels: Dispute['panels'], now: Date): Html {
  const votes = panels.flatMap(({ votes }) => votes)
  const handles = new Map(panels.flatMap(({ validation }) => validation.validators ?? []).map((one: Entry) => [one.id, one.handle]))
  if (votes.length === 0) return empty('No vote', 'No validator has voted.')
  return html`<ul class="list votes">${votes.map(
    vote =>
      html`<li><span class="main">${party({ handle: handles.get(vote.validatorId) }, vote.validatorId)}${vote.reasoning && html`<br><span class="side text">${vote.reasoning}</span>`}</span><span class="side">${status(vote.vote)} ${vote.createdAt && moment(vote.createdAt, now)}</span></li>`,
  )}</ul>`
}
