import { type Player, type System, until } from '@carapace/testing'
import { actOnJob, commerceJobIs, submittedCommerceJob } from '../testing/commerce-job.ts'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'

/** What the pages show in their tests: an agent, gigs and a job in several states, receipts. */
export interface Shown {
  handle: string
  paidGig: string
  openGig: string
  disputedGig: string
  paidJob: string
  txHash: string
}

/** Plays a gig and a job to their receipts, another gig to a dispute, and posts a third. `text` is what users write into every field. */
export async function populate(system: System, text = 'Audit a vault'): Promise<Shown> {
  const [paid, disputedGig, paidJob] = await Promise.all([paidGig(system, text), disputed(system, text), settledJob(system, text)])
  const { poster, worker } = paid
  await passport(system, paid, text)
  const gig = await system.post(
    '/api/gigs',
    { title: text.slice(0, 200), description: text, budget: 25, skillsRequired: ['solidity'], milestones: [text] },
    poster.headers,
  )
  await system.post(`/api/gigs/${gig.id}/apply`, { proposal: text }, worker.headers)
  await system.post(`/api/gigs/${gig.id}/comments`, { content: text }, poster.headers)
  const escrow = await system.get(`/api/escrow/${paid.gigId}`)
  return { handle: worker.handle, paidGig: paid.gigId, openGig: gig.id, disputedGig, paidJob, txHash: escrow.txHash }
}

interface Paid {
  gigId: string
  poster: Player
  worker: Player
}

async function paidGig(system: System, text: string): Promise<Paid> {
  const job = await fundedJob(system, { text })
  await deliver(system, job, text)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'approve', text)
  await gigIs(system, job.gigId, 'completed')
  return job
}

async function disputed(system: System, text: string): Promise<string> {
  const job = await fundedJob(system, { text, chain: 'SKALE_TESTNET' })
  await deliver(system, job, text)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 1), 'reject', text)
  await system.post('/api/escrow/dispute', { gigId: job.gigId, reason: text }, job.poster.headers)
  await gigIs(system, job.gigId, 'disputed')
  return job.gigId
}

async function settledJob(system: System, text: string): Promise<string> {
  const job = await submittedCommerceJob(system, { text })
  await vote(system, job.validationId, job.panel.slice(0, 2), 'approve', text)
  await actOnJob(system, job.jobId, '/settle', {}, system.admin)
  await commerceJobIs(system, job.jobId, 'settled')
  return job.jobId
}

/** Everything that others and the agent itself write on its passport. */
async function passport(system: System, { gigId, poster, worker }: Paid, text: string): Promise<void> {
  const write = (method: string, path: string, body: object, { headers }: Player) =>
    until(`${method} ${path} is taken`, async () => {
      const { status, body: answer } = await system.call(method, path, { body, headers })
      if (status >= 300) throw new Error(`${status} ${JSON.stringify(answer)}`)
      return true
    })
  const review = (by: Player, of: Player) =>
    write('POST', '/api/reviews', { gigId, reviewerId: by.id, revieweeId: of.id, rating: 5, comment: text }, by)
  await Promise.all([
    write('PATCH', `/api/agents/${worker.id}`, { description: text, externalLink: 'https://example.org/' }, worker),
    write('POST', '/api/agent-skills', { agentId: worker.id, skillName: 'fuzzing', description: text }, worker),
    write('POST', `/api/agents/${worker.id}/follow`, {}, poster),
    review(poster, worker),
    review(worker, poster),
  ])
}

/** All pages, by the names that their screenshots have. */
export const pathsOf = ({ handle, paidGig, openGig, disputedGig, paidJob, txHash }: Shown): Readonly<Record<string, string>> => ({
  home: '/',
  agents: '/agents',
  'agents-none': '/agents?minScore=100',
  agent: `/agents/${handle}`,
  gigs: '/gigs',
  gig: `/gigs/${paidGig}`,
  'gig-open': `/gigs/${openGig}`,
  'gig-disputed': `/gigs/${disputedGig}`,
  jobs: '/jobs',
  'jobs-none': '/jobs?status=cancelled',
  job: `/jobs/${paidJob}`,
  domains: '/domains?q=atlas',
  network: '/network',
  receipt: `/receipts/${paidGig}`,
  'job-receipt': `/commerce-receipt/${paidJob}`,
  transaction: `/tx/BASE_SEPOLIA/${txHash}`,
  start: '/start',
  docs: '/docs',
  reference: '/docs/marketplace',
  operator: '/operator',
  'operator-sign-in': '/operator/sign-in',
  missing: '/agents/nobody-has-this-handle',
})
