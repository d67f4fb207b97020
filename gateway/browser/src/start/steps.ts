import { money } from '../amounts.ts'
import type { Body, Call, Caller } from './call.ts'
import { changeGig, type Job, type Player, type Role, roles } from './job.ts'
import { signIn } from './sign-in.ts'
import { until } from './until.ts'

/** What a step has besides the job. */
export interface Means {
  /** Makes a call and shows it. */
  make: (call: Call) => Promise<Body>
  /** Makes a call that is not shown: of those that are repeated until something is there. */
  read: (path: string, caller?: Caller) => Promise<Body>
  /** What the fields of the step hold. */
  values: FormData
  /** Test money is to be had. */
  isPractice: boolean
  isSigned: boolean
  /** Offers several agents to choose from. */
  offer(agents: readonly { id: string; handle: string }[]): void
}

/** Carries a step out and answers what it did. @throws Error with what is missing */
export type Step = (job: Job, means: Means) => Promise<string>

const playerOf = (job: Job, role: Role): Player => {
  const player = job.players.get(role)
  if (!player) throw new Error(`No wallet of this page is the ${role}. This step is that of the agent who has this part.`)
  if (player.agentId === undefined) throw new Error(`Register the ${role} first`)
  return player
}
const callerOf = (job: Job, role: Role): Caller => {
  const { wallet, agentId } = playerOf(job, role)
  return { wallet, agentId: agentId! }
}
const gigOf = (job: Job): string => {
  if (job.gigId === undefined) throw new Error('Post a gig first, or enter the number of one under Wallets')
  return job.gigId
}
/** @example plural(1, 'vote') === '1 vote' */
const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

const register: Step = async (job, { make, values, isSigned }) => {
  if (job.players.size === 0) throw new Error('Choose a wallet first')
  for (const [role, player] of job.players) {
    // a wallet that has an agent is signed in as that one
    if (player.agentId !== undefined || (player.wallet.kind === 'browser' && (await signIn(player, make)))) continue
    const wanted = player.wallet.kind === 'browser' ? String(values.get('handle') ?? '').trim() : ''
    const handle = wanted || `${role}-${crypto.randomUUID().slice(0, 6)}`
    const skills = player.wallet.kind === 'browser' ? [] : [job.skill]
    const body = { handle, walletAddress: player.wallet.address, skills, chain: job.chain }
    const { agent } = await make({ method: 'POST', path: '/api/register-agent', body, ...(isSigned ? { caller: { wallet: player.wallet } } : {}) })
    Object.assign(player, { agentId: agent.id, handle: agent.handle })
  }
  const handles = [...job.players.values()].map(({ handle }) => handle)
  return `${plural(handles.length, 'agent')} of this page: ${handles.join(', ')}.`
}

const fund: Step = async (job, { make, read, isPractice }) => {
  const caller = callerOf(job, 'poster')
  const { depositAddress } = await make({ method: 'POST', path: `/api/agents/${caller.agentId}/treasury/fund`, body: {}, caller })
  const balance = async () => (await read(`/api/agents/${caller.agentId}/treasury/balance`, caller)).balances[job.chain] / 1e6
  if (isPractice) {
    await make({ method: 'POST', path: '/api/sandbox/faucet', body: { walletAddress: depositAddress, amount: 100, chain: job.chain } })
    await until('The money', async () => ((await balance()) > 0 ? true : undefined))
  }
  const held = await balance()
  if (held === 0) throw new Error(`Send USDC on this network to ${depositAddress}, then press again: the treasury of the poster has nothing yet.`)
  return `The treasury of the poster has ${money(held)}.`
}

const post: Step = async (job, { make, values }) => {
  const caller = callerOf(job, 'poster')
  const body = {
    title: String(values.get('title')),
    description: String(values.get('description')),
    budget: Number(values.get('budget')),
    skillsRequired: caller.wallet.kind === 'browser' ? [] : [job.skill],
    chain: job.chain,
  }
  const gig = await make({ method: 'POST', path: '/api/gigs', body, caller })
  changeGig(job, String(gig.id))
  job.budget = Number(gig.budget)
  return 'The gig is on the board.'
}

const apply: Step = async (job, { make, values }) => {
  const body = { proposal: String(values.get('proposal')) }
  await make({ method: 'POST', path: `/api/gigs/${gigOf(job)}/apply`, body, caller: callerOf(job, 'worker') })
  return 'The worker has applied.'
}

const accept: Step = async (job, means) => {
  const { make, read } = means
  const caller = callerOf(job, 'poster')
  const { status, budget } = await read(`/api/gigs/${gigOf(job)}`)
  if (status === 'open') {
    const body = { applicantAgentId: job.players.get('worker')?.agentId ?? (await applicantOf(job, means)) }
    await make({ method: 'POST', path: `/api/gigs/${job.gigId}/accept-applicant`, body, caller })
  }
  await make({ method: 'POST', path: '/api/escrow/create', body: { gigId: job.gigId, amount: budget }, caller })
  await until('The lock', async () => ((await read(`/api/escrow/${job.gigId}`)).status === 'locked' ? true : undefined))
  return `${money(budget)} are locked in escrow.`
}

/** The applicant that the poster has chosen, or the only one. @throws Error while there is none, or several */
async function applicantOf(job: Job, { make, values, offer }: Means): Promise<string> {
  const chosen = values.get('applicant')
  if (chosen) return String(chosen)
  const { applicants } = await make({ method: 'GET', path: `/api/gigs/${job.gigId}/applicants` })
  if (applicants.length === 0) throw new Error('Nobody has applied yet. Try the step again when somebody has.')
  if (applicants.length === 1) return applicants[0].agentId
  offer(applicants.map(({ agentId, agent }: Body) => ({ id: agentId, handle: agent.handle ?? agentId })))
  throw new Error(`${applicants.length} agents have applied: choose one of them.`)
}

const deliver: Step = async (job, { make, values }) => {
  const body = { deliverableUrl: String(values.get('deliverable')) }
  await make({ method: 'POST', path: `/api/gigs/${gigOf(job)}/submit-deliverable`, body, caller: callerOf(job, 'worker') })
  return 'The work is delivered.'
}

const panel: Step = async (job, { make }) => {
  const call: Call = { method: 'POST', path: '/api/swarm/validate', body: { gigId: gigOf(job) }, caller: callerOf(job, 'poster') }
  const drawn = await until('The panel', () => make(call))
  Object.assign(job, { validationId: drawn.validationId, panel: drawn.selectedValidators.map(({ id }: { id: string }) => id) })
  return `${plural(job.panel.length, 'validator')} are drawn.`
}

const vote: Step = async (job, { make, read, values }) => {
  const validation = await validationOf(job, make, read)
  const ours = roles.filter(role => job.panel.includes(job.players.get(role)?.agentId ?? ''))
  if (ours.length === 0) return strangersOf(validation)
  const choice = String(values.get('vote'))
  let count = 0
  for (const role of ours) {
    const caller = callerOf(job, role)
    if (validation.validators.find(({ id }: Body) => id === caller.agentId).voted) continue
    await make({ method: 'POST', path: '/api/swarm/vote', body: { validationId: job.validationId, voterId: caller.agentId, vote: choice }, caller })
    count++
    if ((await read(`/api/swarm/validations/${job.validationId}`)).status !== 'pending') break
  }
  return `${count === 1 ? '1 vote is' : `${count} votes are`} recorded: ${choice}.`
}

/** The panel of the gig: drawn on this page, or by others. */
async function validationOf(job: Job, make: Means['make'], read: Means['read']): Promise<Body> {
  if (job.validationId === undefined) {
    const { validations } = await read(`/api/swarm/validations?gigId=${gigOf(job)}`)
    if (validations.length === 0) throw new Error('No panel is drawn yet')
    job.validationId = validations[0].id
  }
  const validation = await make({ method: 'GET', path: `/api/swarm/validations/${job.validationId}` })
  job.panel = validation.validators.filter(({ replaced }: Body) => !replaced).map(({ id }: Body) => id)
  return validation
}

function strangersOf({ validators, voteCount }: Body): string {
  const drawn = validators.filter(({ replaced }: Body) => !replaced).map(({ id, handle }: Body) => handle ?? id)
  return `No validator of this page was drawn, but ${drawn.join(', ')}. ${voteCount} of them have voted; the receipt follows their verdict.`
}

const receipt: Step = async (job, { make, read }) => {
  const path = `/api/trust-receipts/gigs/${gigOf(job)}`
  await until('The receipt', () => read(path))
  const { id, netPaid, platformFee } = await make({ method: 'GET', path })
  job.receiptId = id
  return `${money(netPaid)} were paid to the worker, ${money(platformFee)} is the fee.`
}

/** The whole job, in its order. */
export const steps: Readonly<Record<string, Step>> = { register, fund, post, apply, accept, deliver, panel, vote, receipt }
