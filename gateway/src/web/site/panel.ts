import type { ResponseOf, swarmApi, Validation } from '@carapace/api'
import { plural } from '../format.ts'
import { type Html, html } from '../html.ts'
import { agentLink, chip, countdown, moment, row, status } from '../parts/basics.ts'
import { bar } from '../parts/pictures.ts'

type Votes = ResponseOf<typeof swarmApi.endpoints.listVotes>

/** The validators of a delivery, how many have voted, and what is still needed. */
export function panel(validation: Validation, votes: Votes | undefined, now: Date): Html {
  const { candidateCount, threshold, approvalCount, rejectionCount, validators } = validation
  const voteOf = (id: string) => votes?.votes.find(({ validatorId }) => validatorId === id)
  const share = candidateCount === 0 ? 0 : approvalCount / candidateCount
  return html`<div class="card" aria-live="polite">
<p><strong>${approvalCount}</strong> of ${threshold} approvals ${status(validation.status)}${validation.weak && chip('weak panel', 'warn')}</p>
${bar(share, `${approvalCount} of ${candidateCount} validators approve, ${threshold} are needed`, candidateCount === 0 ? undefined : threshold / candidateCount)}
<p class="side">${plural(rejectionCount, 'rejection')}, ${plural(candidateCount - validation.voteCount, 'vote')} to come${validation.status === 'pending' && html` · ends ${countdown(validation.expiresAt, now)}`}</p>
<ul class="list votes">${validators.map(({ id, handle, voted, replaced }) => {
    const vote = voteOf(id)
    return html`<li data-key="${id}${voted ? '+' : ''}"><span class="main">${agentLink(handle ?? id)}${vote?.reasoning && html`<br><span class="side">${vote.reasoning}</span>`}</span><span class="side">${vote ? html`${status(vote.vote)} ${moment(vote.createdAt, now)}` : replaced ? chip('replaced') : voted ? chip('voted', 'good') : chip('to vote')}</span></li>`
  })}</ul>
<dl class="facts small-text">${[
    row('Round', String(validation.round)),
    validation.disputeReason !== null && row('Frozen', validation.disputeReason),
    validation.nextDeadline !== null && row('Next', html`${validation.nextDeadline.action} ${countdown(validation.nextDeadline.at, now)}`),
    row('The draw', html`<a href="/api/swarm/validations/${validation.id}/draw">checkable by anybody</a>`),
  ]}</dl></div>`
}
