import type { Wallet } from '../sign/wallet.ts'
import { type Body, type Call, type Caller, Refused, send } from './call.ts'

export const roles = ['poster', 'worker', 'validator-1', 'validator-2', 'validator-3'] as const
export type Role = (typeof roles)[number]

export interface Player {
  wallet: Wallet
  agentId?: string
  handle?: string
}

/** What the page knows of the job that is played. */
export interface Job {
  chain: string
  isSigned: boolean
  players: Map<Role, Player>
  gigId?: string
  budget: number
  validationId?: string
  panel: readonly string[]
  receiptId?: string
}

interface Step {
  title: string
  role: Role
  run(job: Job, make: Make, values: FormData): Promise<string>
}
/** Makes a call and shows it. */
type Make = (call: Call) => Promise<Body>

/** How long a step waits for what follows from it. */
const patienceMs = 90_000
const pauseMs = 700

const playerOf = (job: Job, role: Role): Player => {
  const player = job.players.get(role)
  if (!player) throw new Error(`The ${role} has no wallet yet`)
  return player
}
const callerOf = (job: Job, role: Role): Caller => {
  const { wallet, agentId } = playerOf(job, role)
  return { wallet, ...(agentId === undefined ? {} : { agentId }) }
}
const gigOf = (job: Job): string => {
  if (job.gigId === undefined) throw new Error('Post the gig first')
  return job.gigId
}

/** Sends a call until it is answered with what is wanted; refusals for now are no end. */
async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + patienceMs; ; ) {
    const found = await read().catch((error: unknown) => {
      if (error instanceof Refused && (error.retryable || error.status === 404)) return undefined
      throw error
    })
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`${what} is not there yet. Try the step again.`)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}

/** The whole job, step by step. */
export const steps: Readonly<Record<string, Step>> = {
  register: {
    title: 'Register the agents',
    role: 'poster',
    run: async (job, make) => {
      for (const role of roles) {
        const player = playerOf(job, role)
        if (player.agentId !== undefined) continue
        const handle = `${role}-${crypto.randomUUID().slice(0, 6)}`
        const body = { handle, walletAddress: player.wallet.address, skills: ['solidity'], chain: job.chain }
        const { agent } = await make({
          method: 'POST',
          path: '/api/register-agent',
          body,
          ...(job.isSigned ? { caller: { wallet: player.wallet } } : {}),
        })
        Object.assign(player, { agentId: agent.id, handle: agent.handle })
      }
      return `${roles.length} agents are registered, the first as ${playerOf(job, 'poster').handle}.`
    },
  },
  fund: {
    title: 'Fund the poster',
    role: 'poster',
    run: async (job, make) => {
      const caller = callerOf(job, 'poster')
      const { depositAddress } = await make({ method: 'POST', path: `/api/agents/${caller.agentId}/treasury/fund`, body: {}, caller })
      await make({ method: 'POST', path: '/api/sandbox/faucet', body: { walletAddress: depositAddress, amount: 100, chain: job.chain } })
      const balance = () => send({ method: 'GET', path: `/api/agents/${caller.agentId}/treasury/balance`, caller }, job.isSigned)
      await until('The money', async () => ((await balance()).balances[job.chain] > 0 ? true : undefined))
      return 'The treasury of the poster has 100 USDC.'
    },
  },
  post: {
    title: 'Post the gig',
    role: 'poster',
    run: async (job, make, values) => {
      const body = {
        title: String(values.get('title')),
        description: String(values.get('description')),
        budget: Number(values.get('budget')),
        skillsRequired: ['solidity'],
        chain: job.chain,
      }
      const gig = await make({ method: 'POST', path: '/api/gigs', body, caller: callerOf(job, 'poster') })
      Object.assign(job, { gigId: gig.id, budget: gig.budget })
      return 'The gig is on the board.'
    },
  },
  apply: {
    title: 'Apply',
    role: 'worker',
    run: async (job, make) => {
      await make({ method: 'POST', path: `/api/gigs/${gigOf(job)}/apply`, body: { proposal: 'I know vaults.' }, caller: callerOf(job, 'worker') })
      return 'The worker has applied.'
    },
  },
  accept: {
    title: 'Accept, and lock the money',
    role: 'poster',
    run: async (job, make) => {
      const caller = callerOf(job, 'poster')
      const path = `/api/gigs/${gigOf(job)}/accept-applicant`
      const gig = await send({ method: 'GET', path: `/api/gigs/${gigOf(job)}` }, job.isSigned)
      if (gig.status === 'open') await make({ method: 'POST', path, body: { applicantAgentId: playerOf(job, 'worker').agentId }, caller })
      await make({ method: 'POST', path: '/api/escrow/create', body: { gigId: job.gigId, amount: job.budget }, caller })
      await until('The lock', async () =>
        (await send({ method: 'GET', path: `/api/escrow/${job.gigId}` }, job.isSigned)).status === 'locked' ? true : undefined,
      )
      return `${job.budget} USDC are locked in escrow.`
    },
  },
  deliver: {
    title: 'Deliver',
    role: 'worker',
    run: async (job, make, values) => {
      const body = { deliverableUrl: String(values.get('deliverable')) }
      await make({ method: 'POST', path: `/api/gigs/${gigOf(job)}/submit-deliverable`, body, caller: callerOf(job, 'worker') })
      return 'The work is delivered.'
    },
  },
  panel: {
    title: 'Draw the panel',
    role: 'poster',
    run: async (job, make) => {
      const call: Call = { method: 'POST', path: '/api/swarm/validate', body: { gigId: gigOf(job) }, caller: callerOf(job, 'poster') }
      const drawn = await until('The panel', () => make(call))
      Object.assign(job, { validationId: drawn.validationId, panel: drawn.selectedValidators.map(({ id }: { id: string }) => id) })
      return `${job.panel.length} validators are drawn.`
    },
  },
  vote: {
    title: 'Vote',
    role: 'validator-1',
    run: async (job, make, values) => {
      const vote = String(values.get('vote'))
      const ours = roles.filter(role => job.panel.includes(job.players.get(role)?.agentId ?? ''))
      if (ours.length === 0) throw new Error('None of your validators was drawn: others have to vote. Follow the gig on its page.')
      let count = 0
      for (const role of ours) {
        const caller = callerOf(job, role)
        const body = { validationId: job.validationId, voterId: caller.agentId, vote }
        await make({ method: 'POST', path: '/api/swarm/vote', body, caller })
        count++
        const { status } = await send({ method: 'GET', path: `/api/swarm/validations/${job.validationId}` }, job.isSigned)
        if (status !== 'pending') break
      }
      return `${count} votes are recorded: ${vote}.`
    },
  },
  receipt: {
    title: 'Get the receipt',
    role: 'poster',
    run: async (job, make) => {
      const call: Call = { method: 'GET', path: `/api/trust-receipts/gigs/${gigOf(job)}` }
      await until('The receipt', () => send(call, job.isSigned))
      const receipt = await make(call)
      job.receiptId = receipt.id
      return `${receipt.netPaid} USDC were paid to the worker, ${receipt.platformFee} USDC is the fee.`
    },
  },
}
