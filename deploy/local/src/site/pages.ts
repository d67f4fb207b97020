import { type Player, type System, until } from '@carapace/testing'
import { Contract } from 'ethers'
import { actOnJob, commerceJobIs, submittedCommerceJob } from '../testing/commerce-job.ts'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'

/** What the pages show in their tests: an agent, gigs and a job in several states, receipts. */
export interface Shown {
  handle: string
  paidGig: string
  openGig: string
  disputedGig: string
  paidJob: string
  disputedJob: string
  /** That locked the money of the paid gig, and one that anybody may send. */
  txHash: string
  strangerTxHash: string
}

/** For the names of the pages alone. */
export const nothingShown: Shown = {
  ...{ handle: '', paidGig: '', openGig: '', disputedGig: '' },
  ...{ paidJob: '', disputedJob: '', txHash: '', strangerTxHash: '' },
}

/** Plays a gig and a job to their receipts, others to a dispute and an appeal, and posts one more. `text` is what users write into every field. */
export async function populate(system: System, text = 'Audit a vault'): Promise<Shown> {
  const [paid, disputedGig, paidJob, disputedJob] = await Promise.all([
    paidGig(system, text),
    disputed(system, text),
    settledJob(system, text),
    jobInDispute(system, text),
    appealed(system, text),
  ])
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
  const strangerTxHash = await registeredByStranger(system, poster, text)
  const shown = { handle: worker.handle, paidGig: paid.gigId, openGig: gig.id, disputedGig, paidJob, disputedJob }
  return { ...shown, txHash: escrow.txHash, strangerTxHash }
}

interface Paid {
  gigId: string
  poster: Player
  worker: Player
}

async function paidGig(system: System, text: string): Promise<Paid> {
  const job = await fundedJob(system, { text })
  await deliver(system, job, text, addressWith(text))
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'approve', text)
  await gigIs(system, job.gigId, 'completed')
  return job
}

async function disputed(system: System, text: string): Promise<string> {
  const job = await fundedJob(system, { text, chain: 'SKALE_TESTNET' })
  await deliver(system, job, text, addressWith(text))
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 1), 'reject', text)
  await system.post('/api/escrow/dispute', { gigId: job.gigId, reason: text }, job.poster.headers)
  await gigIs(system, job.gigId, 'disputed')
  return job.gigId
}

async function settledJob(system: System, text: string): Promise<string> {
  const job = await submittedCommerceJob(system, { text, deliverableUrl: addressWith(text) })
  await vote(system, job.validationId, job.panel.slice(0, 2), 'approve', text)
  await actOnJob(system, job.jobId, '/settle', {}, system.admin)
  await commerceJobIs(system, job.jobId, 'settled')
  return job.jobId
}

async function jobInDispute(system: System, text: string): Promise<string> {
  const job = await submittedCommerceJob(system, { text, deliverableUrl: addressWith(text) })
  await vote(system, job.validationId, job.panel.slice(0, 1), 'reject', text)
  await actOnJob(system, job.jobId, '/dispute', { reason: text }, job.poster.headers)
  await commerceJobIs(system, job.jobId, 'disputed')
  return job.jobId
}

/** A rejection by a panel of young accounts, which the assignee appeals. */
async function appealed(system: System, text: string): Promise<void> {
  const job = await fundedJob(system, { text })
  await deliver(system, job, text, addressWith(text))
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'reject', text)
  await gigIs(system, job.gigId, 'disputed')
  await system.post(`/api/validations/${id}/appeal`, { statement: text, deliverableUrl: addressWith(text) }, job.worker.headers)
}

/** A transaction whose log has text that no form of the interface has seen. */
async function registeredByStranger({ networks }: System, { wallet }: Player, text: string): Promise<string> {
  const { provider, contracts } = networks.BASE_SEPOLIA
  const registry = new Contract(contracts.identityRegistry, ['function register(string)'], wallet.connect(provider))
  const sent = await registry.getFunction('register')(text)
  await sent.wait()
  return sent.hash
}

/** An address that holds the text as it is: the forms of the interface allow it in a query. */
const addressWith = (text: string): string => `https://example.org/?q=${text.replaceAll(' ', '%20')}`

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
    write('PATCH', `/api/agents/${worker.id}`, { description: text, externalLink: addressWith(text) }, worker),
    write('POST', '/api/agent-skills', { agentId: worker.id, skillName: 'fuzzing', description: text }, worker),
    write('POST', `/api/agents/${worker.id}/follow`, {}, poster),
    review(poster, worker),
    review(worker, poster),
  ])
}

/** All pages, by the names that their screenshots have. */
export const pathsOf = ({
  handle,
  paidGig,
  openGig,
  disputedGig,
  paidJob,
  disputedJob,
  txHash,
  strangerTxHash,
}: Shown): Readonly<Record<string, string>> => ({
  home: '/',
  agents: '/agents',
  'agents-none': '/agents?minScore=100',
  agent: `/agents/${handle}`,
  'agent-why': `/agents/${handle}/why`,
  gigs: '/gigs',
  gig: `/gigs/${paidGig}`,
  'gig-open': `/gigs/${openGig}`,
  'gig-disputed': `/gigs/${disputedGig}`,
  jobs: '/jobs',
  'jobs-none': '/jobs?status=cancelled',
  job: `/jobs/${paidJob}`,
  'job-disputed': `/jobs/${disputedJob}`,
  domains: '/domains?q=atlas',
  network: '/network',
  receipt: `/receipts/${paidGig}`,
  'job-receipt': `/commerce-receipt/${paidJob}`,
  transaction: `/tx/BASE_SEPOLIA/${txHash}`,
  'transaction-stranger': `/tx/BASE_SEPOLIA/${strangerTxHash}`,
  start: '/start',
  docs: '/docs',
  reference: '/docs/marketplace',
  operator: '/operator',
  'operator-sign-in': '/operator/sign-in',
  'operator-doctor': '/operator/doctor',
  'operator-refused': '/operator/enter?token=none',
  missing: '/agents/nobody-has-this-handle',
})
