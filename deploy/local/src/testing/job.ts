import type { Chain } from '@carapace/api'
import { type Player, type System, until } from '@carapace/testing'
import { parseUnits } from 'ethers'
import { act } from './act.ts'

/** A gig on its way, with its participants. */
export interface Job {
  gigId: string
  chain: Chain
  poster: Player
  worker: Player
  /** Whole USDC. */
  budget: number
  /** µ the poster had before the escrow was locked, and the worker. */
  before: { poster: bigint; worker: bigint }
}

export interface JobOptions {
  chain?: Chain
  budget?: number
  deadlineHours?: number
  bondRequired?: number
  /** The crew the worker leads. */
  crewId?: string
  worker?: Player
  poster?: Player
  /** What poster and worker write into every field. */
  text?: string
  /** Between two reads of what is waited for. Default: as tests poll. */
  pollMs?: number
}

/** Characters of a title. */
const longestTitle = 200

export const micro = (usd: number): bigint => parseUnits(usd.toFixed(6), 6)

/** Poster and worker, an assigned gig, and its budget in escrow. */
export async function fundedJob(system: System, options: JobOptions = {}): Promise<Job> {
  const { chain = 'BASE_SEPOLIA', budget = 40, deadlineHours = 48, bondRequired = 0, crewId, text, pollMs } = options
  const poster = options.poster ?? (await system.newPlayer({ chain, usdc: 1_000, prefix: 'poster' }))
  const worker = options.worker ?? (await system.newPlayer({ chain, prefix: 'worker' }))
  const words = { title: text?.slice(0, longestTitle) ?? 'Audit a vault', description: text ?? 'Read it, report.' }
  const draft = { ...words, skillsRequired: ['solidity'], budget, chain, bondRequired, deadlineHours }
  const gig = await system.post('/api/gigs', { ...draft, crewGig: crewId !== undefined }, poster.headers)
  const proposal = { proposal: text ?? 'I know vaults.', ...(crewId ? { crewId } : {}) }
  await until(
    'the application is taken',
    async () => (await system.call('POST', `/api/gigs/${gig.id}/apply`, { body: proposal, headers: worker.headers })).status === 201,
  )
  await act(system, `/api/gigs/${gig.id}/accept-applicant`, { applicantAgentId: worker.id }, poster.headers)
  await gigIs(system, gig.id, 'assigned')
  const before = { poster: await system.usdcOf(chain, poster.wallet.address), worker: await system.usdcOf(chain, worker.wallet.address) }
  await lock(system, gig.id, budget, poster, pollMs)
  return { gigId: gig.id, chain, poster, worker, budget, before }
}

/** Retries what the platform itself calls retryable: an event that has not arrived yet. */
async function lock(system: System, gigId: string, amount: number, poster: Player, pollMs?: number): Promise<void> {
  const probe = async () => {
    const { status, body } = await system.call('POST', '/api/escrow/create', { body: { gigId, amount }, headers: poster.headers })
    if (status >= 300 && body.code !== 'ALREADY_EXISTS') throw new Error(`${status} ${JSON.stringify(body)}`)
    return (await escrowOf(system, gigId)).status === 'locked'
  }
  await until('the escrow is locked', probe, undefined, pollMs)
}

export async function deliver(
  system: System,
  { gigId, worker }: Job,
  deliverableNote = 'done',
  deliverableUrl = 'https://example.org/report',
): Promise<void> {
  await system.post(`/api/gigs/${gigId}/submit-deliverable`, { deliverableUrl, deliverableNote }, worker.headers)
}

/** Opens the validation; resolves to its id and the panel's agent ids. */
export async function openPanel(system: System, { gigId, poster }: Job, size = 3): Promise<{ id: string; panel: string[] }> {
  const threshold = Math.floor(size / 2) + 1
  const body = await system.post('/api/swarm/validate', { gigId, candidateCount: size, threshold }, poster.headers)
  const id = body.validationId ?? body.validation?.id ?? body.id
  return { id, panel: await panelOf(system, id) }
}

export async function panelOf(system: System, validationId: string): Promise<string[]> {
  const { validators } = await system.get(`/api/swarm/validations/${validationId}`)
  return validators.filter((one: { replaced?: boolean }) => !one.replaced).map((one: { id: string }) => one.id)
}

/** Votes alike, one after the other, until the validation is resolved. */
export async function vote(
  system: System,
  validationId: string,
  panel: readonly string[],
  vote: 'approve' | 'reject',
  reasoning?: string,
): Promise<void> {
  for (const voterId of panel) {
    const headers = await headersOf(system, voterId)
    const { status, body } = await system.call('POST', '/api/swarm/vote', { body: { validationId, voterId, vote, reasoning }, headers })
    if (body.code === 'VALIDATION_RESOLVED') return
    if (status >= 300) throw new Error(`vote: ${status} ${JSON.stringify(body)}`)
  }
}

/** In plain mode the public profile is enough to speak for an agent. */
export async function headersOf(system: System, agentId: string): Promise<Record<string, string>> {
  const body = await system.get(`/api/agents/${agentId}`)
  return { 'x-agent-id': agentId, 'x-wallet-address': (body.agent ?? body).walletAddress }
}

export const gigOf = async (system: System, gigId: string) => {
  const body = await system.get(`/api/gigs/${gigId}`)
  return body.gig ?? body
}
export const escrowOf = async (system: System, gigId: string) => {
  const body = await system.get(`/api/escrow/${gigId}`)
  return body.escrow ?? body
}

/** Waits for a state of the gig. @param seconds longer where a chain is restarted or processes were killed */
export const gigIs = (system: System, gigId: string, status: string, seconds = 40) =>
  until(
    `gig ${gigId} is ${status}`,
    async () => {
      const gig = await gigOf(system, gigId)
      if (gig.status !== status) throw new Error(`it is ${gig.status} (${gig.closeReason}), escrow ${gig.escrowStatus}`)
      return gig
    },
    seconds,
  )
export const escrowIs = (system: System, gigId: string, status: string, seconds = 40) =>
  until(
    `escrow of ${gigId} is ${status}`,
    async () => {
      const escrow = await escrowOf(system, gigId)
      if (escrow.status !== status) throw new Error(`it is ${escrow.status}`)
      return escrow
    },
    seconds,
  )
