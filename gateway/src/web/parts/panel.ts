import type { ResponseOf, swarmApi, Validation } from '@carapace/api'
import { plural } from '../format.ts'
import { type Html, html } from '../html.ts'
import { agentLink, chip, countdown, moment, row, status, transaction } from './basics.ts'
import { bar } from './pictures.ts'

type Votes = ResponseOf<typeof swarmApi.endpoints.listVotes>['votes']

/** The validators of a delivery, how many have voted, and what is still needed. */
export function panel(validation: Validation, votes: Votes | undefined, now: Date): Html {
  const { candidateCount, threshold, approvalCount } = validation
  const share = candidateCount === 0 ? 0 : approvalCount / candidateCount
  return html`<div class="card" aria-live="polite">
<p class="panel-head"><span><strong>${approvalCount}</strong> of ${plural(threshold, 'approval')} needed</span> <span class="chips">${status(validation.status)}${validation.weak && chip('weak panel', 'warn')}</span></p>
${bar(share, `${approvalCount} of ${candidateCount} validators approve, ${threshold} are needed`, candidateCount === 0 ? undefined : threshold / candidateCount, tones[validation.status])}
<p class="side">${standing(validation, now)}</p>
${seats(validation, votes, now)}
<dl class="facts small-text">${[
    row('Round', String(validation.round)),
    validation.disputeReason !== null && row('Frozen', validation.disputeReason),
    next(validation, now),
    row('The draw', html`<a href="/api/swarm/validations/${validation.id}/draw">checkable by anybody</a> <span class="muted">(JSON)</span>`),
  ]}</dl></div>`
}

const tones: Readonly<Partial<Record<Validation['status'], string>>> = { approved: 'good', rejected: 'bad' }

/** How many votes there are; after the verdict nobody is waited for. */
function standing({ status, candidateCount, voteCount, rejectionCount, expiresAt, resolvedAt }: Validation, now: Date): Html {
  const rejections = plural(rejectionCount, 'rejection')
  if (status === 'pending') return html`${rejections}, ${plural(candidateCount - voteCount, 'vote')} to come · ends ${countdown(expiresAt, now)}`
  return html`${rejections}, ${plural(voteCount, 'vote')} of ${plural(candidateCount, 'validator')}${resolvedAt && html` · decided ${moment(resolvedAt, now)}`}`
}

function seats({ status: state, validators, chain }: Validation, votes: Votes | undefined, now: Date): Html {
  const voteOf = (id: string) => votes?.find(({ validatorId }) => validatorId === id)
  return html`<ul class="list votes">${validators.map(({ id, handle, voted, replaced }) => {
    const vote = voteOf(id)
    const silent = replaced ? chip('replaced') : voted ? chip('voted', 'good') : state === 'pending' ? chip('to vote', 'warn') : chip('did not vote')
    return html`<li data-key="${id}${voted ? '+' : ''}"><span class="main">${agentLink(handle ?? id)}${vote?.reasoning && html`<br><span class="side">${vote.reasoning}</span>`}</span><span class="side">${vote ? html`${status(vote.vote)} ${moment(vote.createdAt, now)}${vote.txHash && html` ${transaction(chain, vote.txHash)}`}` : silent}</span></li>`
  })}</ul>`
}

/** What time alone does to a panel. That the chain is polled is no news to anybody. */
const timed: Readonly<Record<string, string>> = {
  expire: 'The panel ends without a verdict',
  replace: 'Validators who have not voted are replaced',
  redraw: 'A new panel is drawn',
}

const next = ({ nextDeadline }: Validation, now: Date): Html | undefined =>
  nextDeadline !== null && nextDeadline.action in timed
    ? row('Next', html`${timed[nextDeadline.action]} ${countdown(nextDeadline.at, now)}`)
    : undefined
