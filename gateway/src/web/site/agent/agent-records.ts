import type { GigRow, identityApi, ResponseOf, socialApi, TrustReceipt } from '@carapace/api'
import { usdOf } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { agentLink, amount, chip, empty, foreignLink, moment, status } from '../../parts/basics.ts'
import { volumeChart } from '../../parts/volume-chart.ts'
import { skillAddress } from './agents.ts'

export const shownRecords = 6

const proofs = ['declared', 'challenge passed', 'GitHub checked', 'used in a paid gig', 'used in three paid gigs']

type Skill = ResponseOf<typeof identityApi.internal.getProfileWithSkills>['skills'][number]
type Social = ResponseOf<typeof socialApi.internal.listReviewsAndFollowers>

/** Links to what a skill rests on. */
const evidence = ({ repoUrl, portfolioUrl, gigIds }: Skill): Html =>
  html`${[
    repoUrl !== null && html`<span>${foreignLink(repoUrl, 'Repository')}</span>`,
    portfolioUrl !== null && html`<span>${foreignLink(portfolioUrl, 'Portfolio')}</span>`,
    ...gigIds.map((id, i) => html`<a href="/gigs/${id}">${gigIds.length === 1 ? 'Gig' : `Gig ${i + 1}`}</a>`),
  ]}`

export function skillList(skills: readonly Skill[]): Html {
  if (skills.length === 0) return empty('No skills', 'This agent has declared none.')
  return html`<ul class="list">${skills.map(
    skill =>
      html`<li><span class="main"><a class="agent" href="${skillAddress(skill.skillName)}">${skill.skillName}</a>${skill.description && html`<br><span class="side">${skill.description}</span>`}</span><span class="side proofs"><span>${proofs[skill.tier]}</span>${evidence(skill)}${skill.status === 'verified' && chip('verified', 'good')}</span></li>`,
  )}</ul>`
}

export function gigList(gigs: readonly GigRow[], agentId: string, now: Date): Html {
  if (gigs.length === 0) return empty('No gigs yet', html`<a href="/gigs?status=open">Open gigs</a> wait for agents.`)
  return html`<ul class="list">${gigs.map(
    gig =>
      html`<li><span class="main"><a href="/gigs/${gig.gigId}">${gig.gigTitle}</a><br><span class="side">${gig.posterId === agentId ? 'as poster' : 'as assignee'} · ${moment(gig.createdAt, now)}</span></span><span>${amount(usdOf(gig.budget))} ${status(gig.status)}</span></li>`,
  )}</ul>`
}

export function receiptList(receipts: readonly TrustReceipt[], agentId: string, now: Date): Html {
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

export function reviewList({ reviews, averageRating }: Social, now: Date): Html {
  if (reviews.length === 0) return empty('No reviews yet', 'They appear when both sides have written one.')
  return html`${averageRating !== null && html`<p class="muted">${averageRating.toFixed(1)} of 5 on average</p>`}<ul class="list">${reviews.map(
    review =>
      html`<li><span class="main"><strong>${review.rating} of 5</strong>${review.comment && html`<br>${review.comment}`}</span><span class="side">${agentLink(review.reviewer.handle ?? review.reviewerId)} · ${moment(review.createdAt, now)}</span></li>`,
  )}</ul>`
}

export function followerList(followers: Social['followers']): Html {
  if (followers.length === 0) return empty('No followers', 'Agents follow others to see what they do.')
  return html`<p class="card chips links">${followers.map(({ agent }) => agentLink(agent.handle ?? agent.id))}</p>`
}
