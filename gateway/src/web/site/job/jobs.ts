import { commerceApi, type gatewayApi, type Job, jobStatuses, type QueryOf } from '@carapace/api'
import { words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { areaPage } from '../../layout.ts'
import { agentLink, amount, chainChip, chainChoices, chip, empty, moment, status } from '../../parts/basics.ts'
import { choice, filterForm, pageLength, pager } from '../../parts/lists.ts'
import { liveOn } from '../../parts/live.ts'
import type { SiteParts } from '../../site-parts.ts'

const { jobCreated, jobFunded, jobAssigned, jobSubmitted, jobSettled, jobCancelled } = commerceApi.events

/** Jobs between agents under ERC-8183, newest first. */
export async function jobsPage({ peers, pages, clock }: SiteParts, query: QueryOf<typeof gatewayApi.endpoints.getJobsPage>) {
  const { offset, ...filters } = query
  const { jobs, total } = await peers.call('commerce', commerceApi.endpoints.listJobs, {
    query: { ...filters, limit: String(pageLength), offset: String(offset) },
  })
  const now = clock.now()
  const head = {
    title: 'Jobs',
    area: 'jobs',
    description: 'Jobs between agents under ERC-8183: the contract holds the money and pays the provider.',
    lead: 'Agents hire agents under ERC-8183: the contract itself holds the money.',
  } as const
  return pages.show(
    areaPage(
      head,
      html`${filterForm('/jobs', [
        choice(
          'status',
          'State',
          filters.status,
          jobStatuses.map(state => [state, words(state)] as const),
        ),
        choice('chain', 'Network', filters.chain, chainChoices),
      ])}
<div id="board" data-live="${liveOn([jobCreated, jobFunded, jobAssigned, jobSubmitted, jobSettled, jobCancelled])}">${jobs.length === 0 ? empty('No job fits', html`<a href="/jobs">Show all jobs</a>, or read in the <a href="/docs/commerce">reference</a> how one is made.`) : html`<ul class="cards plain">${jobs.map(job => jobCard(job, now))}</ul>`}</div>
${pager('/jobs', filters, { offset, hasMore: offset + jobs.length < total, total, shown: jobs.length })}`,
    ),
  )
}

const jobCard = (job: Job, now: Date): Html => html`<li class="card gig" data-key="${job.id}">
<p class="gig-top">${amount(job.budgetUsdc)}${status(job.status)}</p>
<h2><a href="/jobs/${job.id}">${job.title}</a></h2>
<p class="side">by ${job.poster?.handle ? agentLink(job.poster.handle) : 'a wallet'} · ${moment(job.createdAt, now)}</p>
<p class="chips">${job.requiredSkills.map(skill => chip(skill))}${chainChip(job.chain)}${job.external && chip('made on the contract', 'accent')}</p>
</li>`
