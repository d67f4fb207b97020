import type { Player, System } from '@carapace/testing'
import { escrowOf, gigOf, headersOf, micro, panelOf } from '../testing/job.ts'
import { broadcast, type Participants, signTransfer } from './participants.ts'
import { payBudget } from './payers.ts'
import { type Client, type Deadline, newClient, persist } from './persist.ts'

/** What the pieces of a round came to, in µ: what everybody's balance has to be afterwards. */
export interface Sums {
  paidByPoster: bigint
  earnedByWorker: bigint
  bonded: bigint
  deposited: bigint
  paidOut: bigint
  /** For names. */
  paidByBuyers: bigint
  /** By x402. */
  paidForReads: bigint
  /** How many budgets were paid by x402. */
  budgetsPaid: number
}

/** What a piece of work needs. */
export interface Stage {
  system: System
  participants: Participants
  random: () => number
  deadline: Deadline
  sums: Sums
}

/** Uneven amounts: a payment to the wrong place would show in the sums. */
export const uneven = (random: () => number, least: number, most: number): number => Number((least + random() * (most - least)).toFixed(6))

/** What differs between gigs. */
export interface GigWays {
  ends: 'released' | 'refunded'
  hiredBy: 'application' | 'message'
  paidBy: 'allowance' | 'x402'
}

/** A gig from its draft to its settlement, all of it while things go wrong. Who is paid reviews and is reviewed. */
export async function settledGig(stage: Stage, { ends, hiredBy, paidBy }: GigWays): Promise<void> {
  const { system, participants, deadline, sums } = stage
  const budget = uneven(stage.random, 10, 49)
  const client = newClient(system)
  const { poster } = participants
  const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget, chain: participants.chain }
  const gigId = await persist(
    'a gig is posted',
    deadline,
    async () => (await client.once('post', 'POST', '/api/gigs', draft, poster.headers)).id as string,
  )
  try {
    await (hiredBy === 'message' ? hireByMessage : hire)(stage, client, gigId)
    const lock = () => client.once('lock', 'POST', '/api/escrow/create', { gigId, amount: budget }, poster.headers)
    const isLocked = async () => (await escrowOf(system, gigId).catch(notThere)).status === 'locked'
    await persist('its escrow is locked', deadline, isLocked, paidBy === 'x402' ? payBudget(stage, gigId, budget) : lock)
    if (paidBy === 'x402') sums.budgetsPaid++
    await deliverTo(stage, client, gigId)
    await (ends === 'released' ? approve(stage, client, gigId) : dispute(stage, client, gigId))
    await persist('the gig is final', deadline, async () => (await gigOf(system, gigId)).status === (ends === 'released' ? 'completed' : 'cancelled'))
    if (ends === 'refunded') return
    const receipt = await persist('the receipt is there', deadline, () => system.get(`/api/trust-receipts/gigs/${gigId}`))
    if (micro(receipt.netPaid) + micro(receipt.platformFee) !== micro(budget)) throw new Error(`receipt of ${gigId} does not add up`)
    sums.paidByPoster += micro(budget)
    sums.earnedByWorker += micro(receipt.netPaid)
    if (hiredBy === 'message') await reviewBoth(stage, client, gigId)
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n${await stateOf(system, gigId).catch(String)}`, { cause })
  }
}

const notThere = () => ({ status: 'none' })

async function hire({ system, participants: { poster, worker }, deadline }: Stage, client: Client, gigId: string): Promise<void> {
  const isAssigned = async () => (await gigOf(system, gigId)).status === 'assigned'
  await persist('the worker is hired', deadline, isAssigned, async () => {
    await client.once('apply', 'POST', `/api/gigs/${gigId}/apply`, { proposal: 'I know vaults.' }, worker.headers).catch(unless('ALREADY_APPLIED'))
    await client.once('accept', 'POST', `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: worker.id }, poster.headers)
  })
}

/** The offer of a message: its acceptance makes an offer of the marketplace and accepts it, once. */
async function hireByMessage({ system, participants: { poster, worker }, deadline }: Stage, client: Client, gigId: string): Promise<void> {
  const offer = { content: 'Would you?', messageType: 'GIG_OFFER', gigId }
  const path = `/api/agents/${poster.id}/messages/${worker.id}`
  const { id } = await persist('the offer is sent', deadline, () => client.once('offer', 'POST', path, offer, poster.headers))
  await persist(
    'the worker is hired',
    deadline,
    async () => (await gigOf(system, gigId)).status === 'assigned',
    () => client.once('accept', 'POST', `/api/agents/${worker.id}/messages/${id}/accept`, {}, worker.headers),
  )
}

/** The later review makes both visible. */
async function reviewBoth({ participants: { poster, worker }, deadline }: Stage, client: Client, gigId: string): Promise<void> {
  const review = async (step: string, reviewer: Player, reviewee: Player) => {
    const body = { gigId, reviewerId: reviewer.id, revieweeId: reviewee.id, rating: 5 }
    const written = () => client.once(step, 'POST', '/api/reviews', body, reviewer.headers)
    return (await persist(`the ${step} is written`, deadline, written)).review
  }
  await review('review of the worker', poster, worker)
  const { visible } = await review('review of the poster', worker, poster)
  if (!visible) throw new Error(`both sides have reviewed ${gigId}, and the reviews are hidden`)
}

/** Ignores a refusal with this code: what the call was to cause is there. @example await apply().catch(unless('ALREADY_APPLIED')) */
export const unless = (code: string) => (error: Error) => {
  if (!error.message.includes(code)) throw error
}

async function deliverTo({ system, participants: { worker }, deadline }: Stage, client: Client, gigId: string): Promise<void> {
  const work = { deliverableUrl: 'https://example.org/report', deliverableNote: 'done' }
  await persist(
    'the work is delivered',
    deadline,
    async () => (await gigOf(system, gigId)).status === 'pending_validation',
    () => client.once('deliver', 'POST', `/api/gigs/${gigId}/submit-deliverable`, work, worker.headers),
  )
}

async function approve({ system, participants: { poster }, deadline }: Stage, client: Client, gigId: string): Promise<void> {
  const demand = { gigId, candidateCount: 3, threshold: 2 }
  const validationId = await persist(
    'a panel is drawn',
    deadline,
    async () => (await system.get(`/api/swarm/validations?gigId=${gigId}`)).validations[0]?.id as string | undefined,
    () => client.once('panel', 'POST', '/api/swarm/validate', demand, poster.headers),
  )
  const voters = (await persist('the panel is known', deadline, () => panelOf(system, validationId))).slice(0, 2)
  await persist(
    'the worker is paid',
    deadline,
    async () => (await escrowOf(system, gigId)).status === 'released',
    async () => {
      for (const voterId of voters) {
        const ballot = { validationId, voterId, vote: 'approve' }
        await client.once(`vote ${voterId}`, 'POST', '/api/swarm/vote', ballot, await headersOf(system, voterId)).catch(unless('VALIDATION_RESOLVED'))
      }
    },
  )
}

async function dispute({ system, participants: { poster }, deadline }: Stage, client: Client, gigId: string): Promise<void> {
  const complaint = { gigId, reason: 'not what was asked for' }
  const escrowIs = async (...those: string[]) => those.includes((await escrowOf(system, gigId)).status)
  await persist(
    'the dispute is open',
    deadline,
    () => escrowIs('disputed'),
    () => client.once('dispute', 'POST', '/api/escrow/dispute', complaint, poster.headers),
  )
  const ruling = { gigId, releaseToPayee: false, reason: 'looked at it' }
  await persist(
    'the poster is refunded',
    deadline,
    () => escrowIs('refunded'),
    async () => (await escrowIs('disputed')) && client.once('rule', 'POST', '/api/escrow/admin-resolve', ruling, system.admin),
  )
}

/** Stake is deposited and partly withdrawn. */
export async function bond({ system, participants, random, deadline, sums }: Stage): Promise<void> {
  const { id, headers } = participants.bonder
  const [paidIn, withdrawn] = [uneven(random, 30, 60), uneven(random, 5, 25)]
  const client = newClient(system)
  const available = async () => micro((await system.get(`/api/bond/${id}/status`)).availableBond)
  const before = sums.bonded
  const call = (step: 'deposit' | 'withdraw', amount: number) =>
    persist(`the ${step} is accepted`, deadline, () => client.once(step, 'POST', `/api/bond/${id}/${step}`, { amount }, headers))
  await call('deposit', paidIn)
  await persist('the stake is there', deadline, async () => (await available()) === before + micro(paidIn))
  await call('withdraw', withdrawn)
  sums.bonded = before + micro(paidIn) - micro(withdrawn)
  await persist('part of the stake is back', deadline, async () => (await available()) === sums.bonded)
}

/** USDC sent to a custodial wallet is credited, and some of it paid to another agent. */
export async function treasury({ system, participants, random, deadline, sums }: Stage): Promise<void> {
  const [paidIn, paidOut] = [micro(uneven(random, 30, 60)), micro(uneven(random, 3, 20))]
  const { id, headers } = participants.saver
  await signTransfer(system, participants, paidIn)
  // All of them: one that the chain has lost again holds back those that were signed after it.
  await persist('the transfer is in a block', deadline, () => broadcast(system, participants))
  sums.deposited += paidIn
  const isCredited = async () => {
    const { body } = await system.call('GET', `/api/agents/${id}/treasury/balance`, { headers })
    return BigInt(body.balance) >= paidOut
  }
  await persist('the deposit is credited', deadline, isCredited, () => broadcast(system, participants))
  const client = newClient(system)
  const payment = { recipientAgentId: participants.payee.id, amount: Number(paidOut) }
  await persist('the payment is accepted', deadline, () => client.once('pay', 'POST', `/api/agents/${id}/treasury/pay`, payment, headers))
  sums.paidOut += paidOut
}

/** What the services say of a gig that did not come to its end. */
async function stateOf(system: System, gigId: string): Promise<string> {
  const paths = [`/api/gigs/${gigId}`, `/api/escrow/${gigId}`, `/api/swarm/validations?gigId=${gigId}`]
  const answers = await Promise.all(paths.map(path => system.call('GET', path)))
  return answers.map(({ status, body }, n) => `${paths[n]}: ${status} ${JSON.stringify(body)}`).join('\n')
}
