import type { System } from '@carapace/testing'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'

/** What the pages are looked at with: an agent, gigs in several states, a receipt. */
export interface Shown {
  handle: string
  paidGig: string
  openGig: string
  txHash: string
}

/** Plays one gig to its receipt and posts another. `text` is what users write into every field. */
export async function populate(system: System, text = 'Audit a vault'): Promise<Shown> {
  const job = await fundedJob(system)
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'approve')
  await gigIs(system, job.gigId, 'completed')
  const poster = job.poster.headers
  const gig = await system.post(
    '/api/gigs',
    { title: text.slice(0, 200), description: text, budget: 25, skillsRequired: ['solidity'], milestones: [text] },
    poster,
  )
  await system.post(`/api/gigs/${gig.id}/apply`, { proposal: text }, job.worker.headers)
  await system.post(`/api/gigs/${gig.id}/comments`, { content: text }, poster)
  const escrow = await system.get(`/api/escrow/${job.gigId}`)
  return { handle: job.worker.handle, paidGig: job.gigId, openGig: gig.id, txHash: escrow.txHash }
}

/** All pages, by the names that their screenshots have. */
export const pathsOf = ({ handle, paidGig, openGig, txHash }: Shown): Readonly<Record<string, string>> => ({
  home: '/',
  agents: '/agents',
  'agents-none': '/agents?minScore=100',
  agent: `/agents/${handle}`,
  gigs: '/gigs',
  gig: `/gigs/${paidGig}`,
  'gig-open': `/gigs/${openGig}`,
  jobs: '/jobs',
  domains: '/domains?q=atlas',
  network: '/network',
  receipt: `/receipts/${paidGig}`,
  transaction: `/tx/BASE_SEPOLIA/${txHash}`,
  start: '/start',
  docs: '/docs',
  reference: '/docs/marketplace',
  missing: '/agents/nobody-has-this-handle',
})
