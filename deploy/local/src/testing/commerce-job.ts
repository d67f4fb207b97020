import type { Chain } from '@carapace/api'
import { type Player, type System, until } from '@carapace/testing'
import { act, waitSeconds } from './act.ts'
import { micro, panelOf } from './job.ts'

/** A commerce job on its way, with its parties. */
export interface CommerceJob {
  jobId: string
  chain: Chain
  poster: Player
  worker: Player
  /** Whole USDC. */
  budget: number
  /** µ the poster had before the funding, and the worker. */
  before: { poster: bigint; worker: bigint }
}

export interface CommerceJobOptions {
  chain?: Chain
  budget?: number
  deadlineHours?: number
  poster?: Player
  worker?: Player
  /** What both write into every field. */
  text?: string
  deliverableUrl?: string
}

const path = (jobId: string, act = ''): string => `/api/erc8183/jobs/${jobId}${act}`

export const commerceJobOf = (system: System, jobId: string) => system.get(path(jobId))

/** Waits for a state of the job. @param seconds longer where a chain is restarted or processes were killed */
export const commerceJobIs = (system: System, jobId: string, status: string, seconds = waitSeconds) =>
  until(
    `job ${jobId} is ${status}`,
    async () => {
      const job = await commerceJobOf(system, jobId)
      if (job.status !== status) throw new Error(`it is ${job.status} (${JSON.stringify(job.onChain)})`)
      return job
    },
    seconds,
  )

/** As `act`, on a job. */
export const actOnJob = (system: System, jobId: string, step: string, body: object, headers: Record<string, string>) =>
  act(system, path(jobId, step), body, headers)

/** A job that is created on chain. */
export async function newCommerceJob(system: System, options: CommerceJobOptions = {}): Promise<CommerceJob> {
  const { chain = 'BASE_SEPOLIA', budget = 20, deadlineHours = 48, text } = options
  const poster = options.poster ?? (await system.newPlayer({ chain, usdc: 1_000, prefix: 'client' }))
  const worker = options.worker ?? (await system.newPlayer({ chain, prefix: 'provider' }))
  const words = { title: text ?? 'Summarise a paper', description: text ?? 'Two pages.' }
  const draft = { ...words, budgetUsdc: budget, requiredSkills: ['writing'], deadlineHours, chain }
  const { job } = await system.post('/api/erc8183/jobs', draft, poster.headers)
  await until('the job is on chain', async () => (await commerceJobOf(system, job.id)).onChainJobId !== null)
  const before = { poster: await system.usdcOf(chain, poster.wallet.address), worker: await system.usdcOf(chain, worker.wallet.address) }
  return { jobId: job.id, chain, poster, worker, budget, before }
}

/** The same with its budget in the contract. */
export async function fundedCommerceJob(system: System, options: CommerceJobOptions = {}): Promise<CommerceJob> {
  const job = await newCommerceJob(system, options)
  await actOnJob(system, job.jobId, '/fund', {}, { 'x-wallet-address': job.poster.wallet.address })
  await commerceJobIs(system, job.jobId, 'funded')
  return job
}

/** The same with its assignee. */
export async function assignedCommerceJob(system: System, options: CommerceJobOptions = {}): Promise<CommerceJob> {
  const job = await fundedCommerceJob(system, options)
  await actOnJob(system, job.jobId, '/apply', { proposal: options.text ?? 'I read fast.' }, job.worker.headers)
  await actOnJob(system, job.jobId, '/accept', { agentId: job.worker.id }, job.poster.headers)
  await commerceJobIs(system, job.jobId, 'assigned')
  return job
}

/** The same, delivered, with the panel that judges it. */
export async function submittedCommerceJob(
  system: System,
  options: CommerceJobOptions = {},
): Promise<CommerceJob & { validationId: string; panel: string[] }> {
  const job = await assignedCommerceJob(system, options)
  const { text, deliverableUrl = 'https://example.org/summary' } = options
  const delivery = { deliverableUrl, ...(text === undefined ? {} : { deliverableNote: text }) }
  await actOnJob(system, job.jobId, '/submit', delivery, job.worker.headers)
  await commerceJobIs(system, job.jobId, 'submitted')
  const { validationId } = await until('its validation is open', async () => {
    const found = await commerceJobOf(system, job.jobId)
    return found.validationId !== null && found
  })
  return { ...job, validationId, panel: await panelOf(system, validationId) }
}

/** The receipt adds up, and the chain moved exactly what it says. */
export async function assertJobPaid(system: System, { jobId, chain, poster, worker, budget, before }: CommerceJob, seconds = 40): Promise<void> {
  await commerceJobIs(system, jobId, 'settled', seconds)
  const receipt = await until('the receipt exists', async () => {
    const { status, body } = await system.call('GET', `/api/commerce/jobs/${jobId}/receipt`)
    return status === 200 && body
  })
  const moved = {
    poster: (await system.usdcOf(chain, poster.wallet.address)) - before.poster,
    worker: (await system.usdcOf(chain, worker.wallet.address)) - before.worker,
  }
  const expected = { poster: -micro(budget), worker: micro(receipt.netPaid) }
  if (moved.poster !== expected.poster || moved.worker !== expected.worker || micro(receipt.netPaid + receipt.fee) !== micro(budget))
    throw new Error(`job ${jobId} moved ${moved.poster} and ${moved.worker}, its receipt says ${JSON.stringify(receipt)}`)
}

/** Nobody has gained or lost anything. */
export async function assertJobRefunded(system: System, job: CommerceJob, status: 'rejected' | 'cancelled', seconds = 40): Promise<void> {
  await commerceJobIs(system, job.jobId, status, seconds)
  const { chain, poster, worker, before } = job
  await until('the budget is back', async () => (await system.usdcOf(chain, poster.wallet.address)) === before.poster, seconds)
  if ((await system.usdcOf(chain, worker.wallet.address)) !== before.worker) throw new Error(`job ${job.jobId} paid its assignee`)
}
