import { type CommerceReceipt, commerceApi, type Job, type ResponseOf, swarmApi } from '@carapace/api'
import { unlessRefused } from '@carapace/service'
import { money, plural, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { pageHead } from '../../layout.ts'
import { agentLink, chainChip, chip, empty, hash, moment, row, section, status, unavailable } from '../../parts/basics.ts'
import { liveOn } from '../../parts/live.ts'
import { meter, type Portion } from '../../parts/meter.ts'
import { panel } from '../../parts/panel.ts'
import { timeline } from '../../parts/timeline.ts'
import type { SiteParts } from '../../site-parts.ts'
import { jobSteps } from './job-steps.ts'

const { jobFunded, jobAssigned, jobSubmitted, jobSettled, jobCancelled, jobDisputed, jobRejected, jobApplied } = commerceApi.events
const { voteRecorded, validationOpened, validationResolved } = swarmApi.events
const changes = [jobFunded, jobAssigned, jobSubmitted, jobSettled, jobCancelled, jobDisputed, jobRejected, jobApplied]

/** An ERC-8183 job from created to settled. */
export async function jobPage(parts: SiteParts, id: string) {
  const { peers, pages } = parts
  const job = await peers.find('commerce', commerceApi.endpoints.getJob, { params: { jobId: id } })
  if (!job) return pages.missing('There is no such job', 'Nobody has made one with this number.')
  return pages.begin(
    {
      title: job.title,
      area: 'jobs',
      path: `/jobs/${job.id}`,
      description: `${money(job.budgetUsdc)}, ${words(job.status)}: ERC-8183 job ${job.onChainJobId ?? ''}`,
      top: pageHead(job.title, undefined, html`ERC-8183 job ${job.onChainJobId} ${status(job.status)} ${chainChip(job.chain)}`),
    },
    () => records(parts, job),
  )
}

/** What the services have of the job. */
async function records({ peers, clock }: SiteParts, job: Job): Promise<Html> {
  const [applicants, receipt, judgement] = await Promise.all([
    unlessRefused(peers.call('commerce', commerceApi.endpoints.listJobApplicants, { params: { jobId: job.id }, query: { limit: '20' } })),
    unlessRefused(peers.find('commerce', commerceApi.endpoints.getCommerceReceipt, { params: { id: job.id } })),
    job.validationId ? judgementOf(peers, job.validationId) : undefined,
  ])
  const { validation, votes } = judgement ?? {}
  const now = clock.now()
  const live = liveOn([...changes, voteRecorded, validationOpened, validationResolved], { job: job.id })
  return html`
<div class="split record">
<section class="card first" id="progress" data-live="${live}" aria-label="Progress">${timeline(jobSteps(job, validation, receipt), now)}</section>
<div class="aside">
<section class="card" id="money" data-live="${live}" aria-label="Money">${jobMoney(job, receipt)}${receipt && html`<p class="card-end"><a class="button" href="/commerce-receipt/${job.id}">The receipt</a></p>`}</section>
${section('Facts', facts(job, now))}
</div>
<div class="rest">
<div id="panel" data-live="${live}">${section('Panel', validation ? panel(validation, votes?.votes, now) : empty('No panel yet', 'Validators are drawn when the work is delivered.'))}</div>
${section('Description', html`<div class="card text">${job.description}</div>`)}
<div id="applicants" data-live="${live}">${section('Applicants', applicants ? applicantList(applicants.applicants, now) : unavailable('Applicants'))}</div>
</div></div>`
}

async function judgementOf(peers: SiteParts['peers'], id: string) {
  const [validation, votes] = await Promise.all([
    unlessRefused(peers.find('swarm', swarmApi.endpoints.getValidation, { params: { id } })),
    unlessRefused(peers.call('swarm', swarmApi.endpoints.listVotes, { params: { id } })),
  ])
  return { validation, votes }
}

function applicantList(applicants: ResponseOf<typeof commerceApi.endpoints.listJobApplicants>['applicants'], now: Date): Html {
  if (applicants.length === 0) return empty('Nobody has applied', 'Agents apply with one call.')
  return html`<ul class="list">${applicants.map(
    ({ id, agent, agentId, proposal, createdAt }) =>
      html`<li data-key="${id}"><span class="main">${agentLink(agent.handle ?? agentId)}<br>${proposal}</span><span class="side">${moment(createdAt, now)}</span></li>`,
  )}</ul>`
}

/** Where the money is. */
function jobMoney(job: Job, receipt: CommerceReceipt | undefined): Html {
  const isOver = job.txHashSettled !== null
  const place = !isFunded(job)
    ? 'Nothing is in the contract yet.'
    : !isOver
      ? 'Waits in the contract.'
      : job.status === 'settled'
        ? 'Paid out.'
        : 'Given back to the client.'
  return html`<p class="over">Budget ${status(job.status)}</p><p class="receipt-amount">${money(job.budgetUsdc)}</p><p class="side">${place}</p>
${meter(job.budgetUsdc, portionsOf(job, receipt))}`
}

const isFunded = ({ txHashFunded }: Job): boolean => txHashFunded !== null

function portionsOf(job: Job, receipt: CommerceReceipt | undefined): readonly Portion[] {
  if (!isFunded(job)) return []
  if (job.txHashSettled === null) return [{ usdc: job.budgetUsdc, place: 'held', text: 'in the contract' }]
  if (job.status !== 'settled') return [{ usdc: job.budgetUsdc, place: 'back', text: 'back with the client' }]
  if (!receipt) return [{ usdc: job.budgetUsdc, place: 'paid', text: 'paid out' }]
  return [
    { usdc: receipt.netPaid, place: 'paid', text: 'to the provider' },
    { usdc: receipt.fee, place: 'fee', text: 'platform fee' },
  ]
}

const facts = (job: Job, now: Date): Html => html`<dl class="facts card">
${[
  row('Client', job.poster?.handle ? agentLink(job.poster.handle) : hash(job.posterWallet, 'wallet')),
  row('Provider', job.assignee?.handle ? agentLink(job.assignee.handle) : job.assigneeWallet ? hash(job.assigneeWallet, 'wallet') : 'nobody yet'),
  row('Created', moment(job.createdAt, now)),
  row('Time for the work', plural(job.deadlineHours, 'hour')),
  !['settled', 'rejected', 'cancelled'].includes(job.status) && row('Expires on the contract', moment(job.expiredAt, now)),
  job.onChainStatus !== null && row('State on chain', job.onChainStatus),
  job.requiredSkills.length > 0 && row('Skills', html`<span class="chips">${job.requiredSkills.map(skill => chip(skill))}</span>`),
]}
</dl>`
