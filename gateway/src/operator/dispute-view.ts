import { short } from '../web/format.ts'
import { type Html, html, type Piece } from '../web/html.ts'
import { agentLink, amount, chainChip, countdown, empty, foreignLink, moment, row, status } from '../web/parts/basics.ts'
import type { ActForm } from './act-form.ts'
import type { Entry } from './read.ts'
import type { Dispute, Party } from './read-disputes.ts'

const names = {
  gig: { page: '/gigs/', poster: 'Poster', assignee: 'Assignee' },
  job: { page: '/jobs/', poster: 'Client', assignee: 'Provider' },
} as const

/** The evidence of both parties, next to each other, the votes of the panel, and the decision. */
export function disputeView(dispute: Dispute, form: ActForm, now: Date): Html {
  const { kind, id, title, chain, poster, assignee, milestones, deliverable, reason, by, decidedAt, panels } = dispute
  const name = names[kind]
  const reasonView = reason && html`<span class="text">${reason}</span>`
  const [byPoster, byAssignee] = [by !== null && by === poster.id, by !== null && by === assignee.id]
  return html`<article class="card dispute">
<header class="part-head"><h3><a href="${name.page}${id}">${title}</a></h3><span>${amount(dispute.amount)} ${chain && chainChip(chain)}</span></header>
${!byPoster && !byAssignee && reason && html`<p class="text">${reason}</p>`}
<div class="sides">
<section><h4>${name.poster} ${partyOf(poster)}</h4><dl class="facts">${[
    row('Wanted', html`<span class="text">${dispute.wanted}</span>`),
    milestones.length > 0 && row('Milestones', html`<ol class="plain-list">${milestones.map(milestone => html`<li>${milestone}</li>`)}</ol>`),
    byPoster && reasonView && row('Dispute', reasonView),
  ]}</dl></section>
<section><h4>${name.assignee} ${partyOf(assignee)}</h4><dl class="facts">${[
    row('Delivered', deliverable.url ? foreignLink(deliverable.url) : 'nothing'),
    deliverable.note && row('Note', html`<span class="text">${deliverable.note}</span>`),
    ...panels.flatMap(({ validation }) =>
      validation.appeal
        ? [
            row('Appeal', html`<span class="text">${validation.appeal.statement}</span>`),
            row('Delivered with it', foreignLink(validation.appeal.deliverableUrl)),
          ]
        : [],
    ),
    byAssignee && reasonView && row('Dispute', reasonView),
  ]}</dl></section>
</div>
<h4>Panel</h4>
${panelVotes(panels, now)}
${decidedAt !== null && html`<p class="side">Without a decision time decides ${countdown(decidedAt, now)}.</p>`}
${kind === 'gig' ? form('resolve', { gigId: id }) : form('settle', { jobId: id })}
</article>`
}

const partyOf = ({ id, handle }: Party): Piece => (handle ? agentLink(handle) : id ? html`<code title="${id}">${short(id)}</code>` : '')

function panelVotes(panels: Dispute['panels'], now: Date): Html {
  const votes = panels.flatMap(({ votes }) => votes)
  const handles = new Map<string, string>(panels.flatMap(({ validation }) => (validation.validators ?? []).map((one: Entry) => [one.id, one.handle])))
  if (votes.length === 0) return empty('No vote', 'No validator has voted.')
  return html`<ul class="list votes">${votes.map(
    vote =>
      html`<li><span class="main">${partyOf({ id: String(vote.validatorId), handle: handles.get(vote.validatorId) ?? null })}${vote.reasoning && html`<br><span class="side text">${vote.reasoning}</span>`}</span><span class="side">${status(vote.vote)} ${vote.createdAt && moment(vote.createdAt, now)}</span></li>`,
  )}</ul>`
}
