import { startGateway } from '@carapace/gateway'
import { type ChainPlatform, type Player, type System, startChainPlatform, until } from '@carapace/testing'
import { services } from '../services.ts'
import { actOnJob, commerceJobIs, newCommerceJob, submittedCommerceJob } from '../testing/commerce-job.ts'
import { deliver, escrowOf, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'
import type { Marks } from './copies.ts'
import { type Records, readAll, sharedKeys } from './population.ts'

/** A handful of agents with records of every kind between them. */
export interface Population extends Marks {
  players: Player[]
  /** Ids that paths may name. */
  ids: string[]
}

/** Plays it on real chains: a paid gig with bond and receipt, a frozen one, one that waits for votes, an open one, a crew, slashes, and jobs. */
async function playPopulation(): Promise<Population & { platform: ChainPlatform }> {
  const platform = await startChainPlatform({ services, startGateway, heartbeatMs: 1_000, env: { CHECK_ANSWERS: 'no' } })
  try {
    return { platform, ...(await playAll(platform)) }
  } catch (error) {
    await platform.end()
    throw error
  }
}

/** The chains and their platform are not needed once the records are read. */
export async function recordedPopulation(): Promise<{ population: Population; records: Records[] }> {
  const { platform, ...population } = await playPopulation()
  try {
    return { population, records: await readAll(platform.mongo) }
  } finally {
    await platform.end()
  }
}

/** As `playPopulation`, on a platform that runs. */
export async function playAll(system: System): Promise<Population> {
  const others = await Promise.all(Array.from({ length: 10 }, () => system.newPlayer({ prefix: 'other' })))
  const validators = await Promise.all(['rust', 'audits', 'tests'].map(skill => system.newPlayer({ prefix: 'judge', skills: ['solidity', skill] })))
  const [poster, worker, mate] = await Promise.all([
    system.newPlayer({ prefix: 'poster', usdc: 1_000 }),
    system.newPlayer({ prefix: 'worker', usdc: 100 }),
    system.newPlayer({ prefix: 'mate' }),
  ])
  await system.post(`/api/agents/${mate.id}/treasury/fund`, {}, mate.headers)
  await system.post(`/api/bond/${worker.id}/deposit`, { amount: 50 }, worker.headers)
  await until('the bond is there', async () => (await system.get(`/api/bond/${worker.id}/status`)).availableBond === 50)

  const paid = await fundedJob(system, { poster, worker, bondRequired: 20 })
  await deliver(system, paid)
  const approval = await openPanel(system, paid)
  await vote(system, approval.id, approval.panel.slice(0, 2), 'approve')
  await until('it is paid', async () => (await escrowOf(system, paid.gigId)).status === 'released')
  const { slash } = await system.post(`/api/bond/${worker.id}/slash`, { amount: 5, reason: 'Seen twice' }, system.admin)

  const frozen = await fundedJob(system, { poster, worker })
  await deliver(system, frozen)
  const rejection = await openPanel(system, frozen)
  await vote(system, rejection.id, rejection.panel.slice(0, 2), 'reject')
  await gigIs(system, frozen.gigId, 'disputed')

  const waiting = await fundedJob(system, { poster, worker })
  await deliver(system, waiting)
  const open = await openPanel(system, waiting)

  const draft = { title: 'Fuzz a vault', description: 'Find what breaks it.', skillsRequired: ['solidity'], budget: 10 }
  const gig = await system.post('/api/gigs', draft, poster.headers)
  await system.post(`/api/gigs/${gig.id}/apply`, { proposal: 'I know vaults.' }, worker.headers)
  await system.post(`/api/gigs/${gig.id}/offer/${mate.id}`, { message: 'Would you?' }, poster.headers)
  await system.post(`/api/gigs/${gig.id}/comments`, { content: 'Until when?' }, worker.headers)
  const crew = { name: 'Readers', handle: `crew-${worker.handle.slice(-10)}`, members: [{ agentId: mate.id, role: 'CODER' }] }
  const { id: crewId } = await system.post('/api/crews', crew, worker.headers)
  await system.post(`/api/crews/${crewId}/join`, {}, mate.headers)

  await social(system, paid.gigId, { poster, worker, mate })
  const jobIds = await jobs(system, { poster, worker, mate })

  for (const { handle, headers } of [worker, poster, ...others.slice(0, 3)])
    await system.post('/api/domains/register', { name: handle, tld: '.molt', pricePaid: 0 }, headers)

  const players = [worker, poster, mate, ...validators, ...others]
  for (const { id } of players) await until('it is on chain', async () => (await system.get(`/api/agents/${id}`)).erc8004Registered === true)
  const receipt = await system.get(`/api/trust-receipts/gigs/${paid.gigId}`)
  return {
    players,
    shared: await sharedKeys(system),
    ids: [approval.panel[0]!, paid.gigId, gig.id, open.id, crewId, slash.id, receipt.id, ...jobIds],
    names: [crew.handle, ...players.map(({ handle }) => handle)],
  }
}

/** A job that is paid and has its receipt, one that is judged, and an open one that two agents apply for. */
async function jobs(system: System, { poster, worker, mate }: Record<'poster' | 'worker' | 'mate', Player>): Promise<string[]> {
  const paid = await submittedCommerceJob(system, { poster, worker })
  await actOnJob(system, paid.jobId, '/settle', {}, system.admin)
  await commerceJobIs(system, paid.jobId, 'settled')
  const judged = await submittedCommerceJob(system, { poster, worker })
  const open = await newCommerceJob(system, { poster, worker })
  for (const { headers } of [worker, mate]) await actOnJob(system, open.jobId, '/apply', { proposal: 'I read fast.' }, headers)
  return [paid, judged, open].map(({ jobId }) => jobId)
}

/** Follows, comments, messages in both directions, reviews of both sides. */
async function social(system: System, gigId: string, { poster, worker, mate }: Record<'poster' | 'worker' | 'mate', Player>): Promise<void> {
  for (const other of [worker, mate]) {
    await system.post(`/api/agents/${other.id}/follow`, {}, poster.headers)
    await system.post(`/api/agents/${poster.id}/follow`, {}, other.headers)
    await system.post(`/api/agents/${other.id}/comment`, { content: 'Delivers in time.' }, poster.headers)
    await system.post(`/api/agents/${poster.id}/messages/${other.id}`, { content: 'Have you seen the draft?' }, poster.headers)
    await system.post(`/api/agents/${other.id}/messages/${poster.id}`, { content: 'I have.' }, other.headers)
  }
  for (const [by, of] of [
    [poster, worker],
    [worker, poster],
  ] as const)
    await until('the payment is known', async () => {
      const body = { gigId, reviewerId: by.id, revieweeId: of.id, rating: 5, comment: 'As agreed.' }
      return (await system.call('POST', '/api/reviews', { body, headers: by.headers })).status === 201
    })
}
