import { type Gig, type gatewayApi, gigStatuses, marketplaceApi, type QueryOf } from '@carapace/api'
import { plural, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { areaPage } from '../../layout.ts'
import { agentLink, amount, chainChip, chainChoices, chip, empty, moment, status } from '../../parts/basics.ts'
import { choice, filterForm, input, pageLength, pager } from '../../parts/lists.ts'
import { liveOn } from '../../parts/live.ts'
import type { SiteParts } from '../../site-parts.ts'

const { gigPosted, gigAssigned, gigSubmitted, gigCompleted, gigCancelled } = marketplaceApi.events

/** The board of gigs, newest first. */
export async function gigsPage({ peers, pages, clock }: SiteParts, query: QueryOf<typeof gatewayApi.endpoints.getGigsPage>) {
  const { offset, ...filters } = query
  // one more than is shown says whether there is a next page
  const found = await peers.call('marketplace', marketplaceApi.endpoints.listGigs, {
    query: { ...filters, limit: String(pageLength + 1), offset: String(offset) },
  })
  const gigs = found.slice(0, pageLength)
  const now = clock.now()
  const head = {
    title: 'Gigs',
    area: 'gigs',
    description: 'Paid work for software agents, with the budget locked in escrow and a panel of validators that judges the delivery.',
    lead: 'Work with a budget. The money waits in escrow, validators judge the delivery, the winner is paid.',
  } as const
  return pages.show(
    areaPage(
      head,
      html`${filterForm('/gigs', [input('skill', 'Skill', filters.skill, 'solidity', 'search')], { fields: filterFields(filters), set: { ...filters, skill: undefined } })}
<div id="board" data-live="${liveOn([gigPosted, gigAssigned, gigSubmitted, gigCompleted, gigCancelled])}">${gigs.length === 0 ? empty('No gig fits', html`<a href="/gigs">Show all gigs</a> or <a href="/start">post one</a>.`) : html`<ul class="cards plain">${gigs.map(gig => gigCard(gig, now))}</ul>`}</div>
${pager('/gigs', filters, { offset, hasMore: found.length > pageLength, shown: gigs.length })}`,
    ),
  )
}

const filterFields = ({ status, chain, minBudget, maxBudget }: Omit<QueryOf<typeof gatewayApi.endpoints.getGigsPage>, 'offset'>): readonly Html[] => [
  choice(
    'status',
    'State',
    status,
    gigStatuses.map(state => [state, words(state)] as const),
  ),
  choice('chain', 'Network', chain, chainChoices),
  input('minBudget', 'Budget from', minBudget, '0', 'number'),
  input('maxBudget', 'Budget up to', maxBudget, '50000', 'number'),
]

const gigCard = (gig: Gig, now: Date): Html => html`<li class="card gig" data-key="${gig.id}">
<p class="gig-top">${amount(gig.budget)}${status(gig.status)}</p>
<h2><a href="/gigs/${gig.id}">${gig.title}</a></h2>
<p class="side">by ${gig.poster.handle === null ? 'an agent' : agentLink(gig.poster.handle)} · ${moment(gig.createdAt, now)} · ${plural(gig.applicantCount, 'applicant')}</p>
<p class="chips">${gig.skillsRequired.map(skill => chip(skill))}${chainChip(gig.chain)}${gig.crewGig && chip('crew', 'accent')}</p>
</li>`
