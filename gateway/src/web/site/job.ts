import { commerceApi, type Job, swarmApi } from '@carapace/api'
import { money, plural, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { agentLink, chainChip, chip, empty, foreignLink, hash, moment, row, section, status, unavailable } from '../parts/basics.ts'
import { liveOn } from '../parts/live.ts'
import { bar } from '../parts/pictures.ts'
import { type Step, timeline } from '../parts/timeline.ts'
import { panel } from './panel.ts'
import { type SiteParts, unlessRefused } from './parts.ts'

const { jobFunded, jobAssigned, jobSubmitted, jobSettled, jobCancelled, jobDisputed, jobRejected, jobApplied } = commerceApi.events
const { voteRecorded, validationOpened, validationResolved } = swarmApi.events
const changes = [jobFunded, jobAssigned, jobSubmitted, jobSettled, jobCancelled, jobDisputed, jobRejected, jobApplied]

/** An ERC-8183 job from created to settled. */
export async function jobPage({ peers, pages, clock }: SiteParts, id: string) {
  const job = await peers.find('commerce', commerceApi.endpoints.getJob, { params: { jobId: id } })
  if (!job) return pages.missing('There is no such job', 'Nobody has made one with this number.')
  const validationParams = job.validationId === null ? undefined : { id: job.validationId }
  const [applicants, validation, votes] = await Promise.all([
    unlessRefused(peers.call('commerce', commerceApi.endpoints.listJobApplicants, { params: { jobId: job.id }, query: { limit: '20' } })),
    validationParams && unlessRefused(peers.find('swarm', swarmApi.endpoints.getValidation, { params: validationParams })),
    validationParams && unlessRefused(peers.call('swarm', swarmApi.endpoints.listVotes, { params: validationParams })),
  ])
  const now = clock.now()
  const live = liveOn([...changes, voteRecorded, validationOpened, validationResolved], { job: job.id })
  return pages.show({
    title: job.title,
    area: 'jobs',
    path: `/jobs/${job.id}`,
    description: `${money(job.budgetUsdc)}, ${words(job.status)}: ERC-8183 job ${job.onChainJobId ?? ''}`,
    main: html`${pageHead(job.title, undefined, html`ERC-8183 job ${job.onChainJobId} ${status(job.status)} ${chainChip(job.chain)}`)}
<div class="split"><div>
<section class="card" id="progress" data-live="${live}">${timeline(stepsOf(job), now)}</section>
<div id="panel" data-live="${live}">${section('Panel', validation ? panel(validation, votes, now) : empty('No panel yet', 'Validators are drawn when the work is delivered.'))}</div>
${section('Description', html`<div class="card text">${job.description}</div>`)}
${section(
  'Applicants',
  !applicants
    ? unavailable('Applicants')
    : applicants.applicants.length === 0
      ? empty('Nobody has applied', 'Agents apply with one call.')
      : html`<ul class="list">${applicants.applicants.map(one => html`<li><span class="main">${agentLink(one.agent.handle ?? one.agentId)}<br>${one.proposal}</span><span class="side">${moment(one.createdAt, now)}</span></li>`)}</ul>`,
)}
</div><div>
<div class="card" id="money" data-live="${live}">${meter(job)}</div>
${section('Facts', facts(job, now))}
${job.status === 'settled' && html`<p><a class="button" href="/commerce-receipt/${job.id}">The receipt</a></p>`}
</div></div>`,
  })
}

function stepsOf(job: Job): Step[] {
  const { chain } = job
  const isClosed = ['cancelled', 'rejected'].includes(job.status)
  const step = (title: string, txHash: string | null, more: Partial<Step> = {}): Step => ({
    title,
    chain,
    txHash,
    state: txHash !== null ? 'done' : isClosed ? 'failed' : 'ahead',
    ...more,
  })
  const steps = [
    step('Created', job.txHashCreated, { at: job.createdAt, state: 'done' }),
    step('Funded', job.txHashFunded),
    step('Assigned', job.txHashAssigned),
    step('Delivered', job.txHashSubmitted, job.status === 'assigned' ? { until: job.submitDeadline, state: 'current' } : {}),
    ...(job.status === 'disputed'
      ? [step('Disputed', null, { detail: job.disputeReason ?? undefined, state: 'current', until: job.nextDeadline?.at })]
      : []),
  ]
  if (isClosed)
    return [
      ...steps,
      step(
        `${job.status === 'rejected' ? 'Rejected' : 'Cancelled'}${job.closeReason === null ? '' : `: ${words(job.closeReason)}`}`,
        job.txHashSettled,
        { state: 'failed' },
      ),
    ]
  return [...steps, step('Settled', job.txHashSettled)]
}

/** Where the money is. */
function meter(job: Job): Html {
  const isFunded = job.txHashFunded !== null
  const place = !isFunded
    ? 'Nothing is in the contract yet'
    : job.txHashSettled === null
      ? 'In the contract'
      : job.status === 'settled'
        ? 'Paid to the provider'
        : 'Back with the client'
  return html`<p class="receipt-amount">${money(job.budgetUsdc)}</p><p class="side">${place} ${status(job.status)}</p>${bar(isFunded ? 1 : 0, `${isFunded ? 'The whole budget' : 'Nothing of the budget'} was funded`)}`
}

const facts = (job: Job, now: Date): Html => html`<dl class="facts card">
${[
  row('Client', job.poster?.handle ? agentLink(job.poster.handle) : hash(job.posterWallet, 'wallet')),
  row('Provider', job.assignee?.handle ? agentLink(job.assignee.handle) : job.assigneeWallet ? hash(job.assigneeWallet, 'wallet') : 'nobody yet'),
  row('Created', moment(job.createdAt, now)),
  row('Time for the work', plural(job.deadlineHours, 'hour')),
  row('Expires', moment(job.expiredAt, now)),
  job.onChainStatus !== null && row('State on chain', job.onChainStatus),
  job.deliverableUrl !== null && row('Delivery', foreignLink(job.deliverableUrl)),
  job.requiredSkills.length > 0 && row('Skills', html`<span class="chips">${job.requiredSkills.map(skill => chip(skill))}</span>`),
]}
</dl>`
