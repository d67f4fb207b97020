import { randomBytes } from 'node:crypto'
import { type Player, type System, until } from '@carapace/testing'
import { commerceJobIs, newCommerceJob, submittedCommerceJob } from '../testing/commerce-job.ts'
import { deliver, escrowIs, fundedJob, gigIs, headersOf, type Job, openPanel, vote } from '../testing/job.ts'

/** One money operation that many call at the same time, on one aggregate. */
export interface Call {
  operation: string
  path: string
  body: object
  headers: Record<string, string>
  /** A read of another aggregate of that service. */
  otherPath: string
  /** Default: none. */
  otherHeaders?: Record<string, string>
}

/** µ: 200 payments of it are below the daily limit. */
const paidMicro = 100_000
/** Whole USDC: the fee of such a gig does not fund its rewards in full. */
const smallBudget = 2
/** µ: a payment of it waits in the queue. */
const queuedMicro = 26_000_000

/** All money operations, in an order in which each finds what the ones before have left. What an operation needs is made just before its calls. */
export async function* callsOf(system: System): AsyncGenerator<Call> {
  const other = await system.newPlayer({ prefix: 'other' })
  yield* ofBonds(system, other)
  yield* ofEscrows(system, other)
  yield* ofTreasuries(system, other)
  yield* ofSwarm(system)
  yield* ofJobs(system)
  const owner = await system.newPlayer({ prefix: 'owner', usdc: 1_000 })
  const body = { name: `burst-${randomBytes(5).toString('hex')}`, tld: '.agent', pricePaid: 5 }
  const headers = { 'x-wallet-address': owner.wallet.address }
  yield { operation: 'priced name', path: '/api/domains/register', body, headers, otherPath: `/api/agents/${other.id}/molt-info` }
}

/** Cold code says nothing about the calls that follow: one burst of deposits is made and not measured. */
export async function warmUpCall(system: System): Promise<Call> {
  const [{ id, headers }, other] = [await system.newPlayer({ prefix: 'warm', usdc: 1_000 }), await system.newPlayer({ prefix: 'other' })]
  const otherPath = `/api/bond/${other.id}/status`
  return { operation: 'warm-up', path: `/api/bond/${id}/deposit`, body: { amount: 10 }, headers, otherPath }
}

async function* ofBonds(system: System, other: Player): AsyncGenerator<Call> {
  const { id, headers } = await system.newPlayer({ prefix: 'owner', usdc: 10_000 })
  const of = { otherPath: `/api/bond/${other.id}/status` }
  yield { ...of, headers, operation: 'bond deposit', path: `/api/bond/${id}/deposit`, body: { amount: 10 } }
  yield { ...of, headers, operation: 'bond withdraw', path: `/api/bond/${id}/withdraw`, body: { amount: 5 } }
  const slashed = await system.newPlayer({ prefix: 'slashed', usdc: 1_000 })
  await deposited(system, slashed, 500)
  const path = `/api/bond/${slashed.id}/slash`
  yield { ...of, headers: system.admin, operation: 'bond slash', path, body: { amount: 1, reason: 'late' } }
  const { slash } = await until('one more slash is accepted', async () => {
    const { status, body } = await system.call('POST', path, { body: { amount: 1, reason: 'later' }, headers: system.admin })
    return status < 300 && body
  })
  const reversal = `/api/admin/slashes/${slash.id}/reverse`
  yield { ...of, headers: system.admin, operation: 'slash reversal', path: reversal, body: { reason: 'it was in time' } }
}

async function* ofEscrows(system: System, other: Player): AsyncGenerator<Call> {
  const owner = await system.newPlayer({ prefix: 'owner', usdc: 10_000 })
  const of = { headers: owner.headers, otherPath: `/api/bond/${other.id}/status` }
  const first = { gigId: await newGig(system, owner), amount: 40 }
  yield { ...of, operation: 'escrow create', path: '/api/escrow/create', body: first }
  const second = { gigId: await newGig(system, owner), agentId: owner.id, amount: 40 }
  yield { ...of, operation: 'fund-escrow', path: '/api/agent-payments/fund-escrow', body: second }
  const [released, disputed] = [await deliveredJob(system), await deliveredJob(system)]
  yield { ...of, headers: system.admin, operation: 'escrow release', path: '/api/escrow/release', body: { gigId: released.gigId } }
  const complaint = { gigId: disputed.gigId, reason: 'not what was asked for' }
  yield { ...of, headers: disputed.poster.headers, operation: 'escrow dispute', path: '/api/escrow/dispute', body: complaint }
  await gigIs(system, disputed.gigId, 'disputed')
  const decision = { gigId: disputed.gigId, releaseToPayee: false, reason: 'read it' }
  yield { ...of, headers: system.admin, operation: 'admin-resolve', path: '/api/escrow/admin-resolve', body: decision }
}

async function* ofTreasuries(system: System, other: Player): AsyncGenerator<Call> {
  const of = { otherPath: `/api/agents/${other.id}/treasury/balance`, otherHeaders: other.headers }
  const [payer, saver, queuer] = await Promise.all(['payer', 'saver', 'queuer'].map(prefix => newTreasury(system, prefix)))
  const payment = { recipientAgentId: other.id, amount: paidMicro }
  yield { ...of, headers: payer!.headers, operation: 'treasury pay', path: `/api/agents/${payer!.id}/treasury/pay`, body: payment }
  const path = `/api/agents/${saver!.id}/treasury/withdraw`
  yield { ...of, headers: saver!.headers, operation: 'treasury withdraw', path, body: { amount: paidMicro } }
  const queued = { recipientAgentId: other.id, amount: queuedMicro }
  const { paymentId } = await system.post(`/api/agents/${queuer!.id}/treasury/pay`, queued, queuer!.headers)
  yield { ...of, headers: queuer!.headers, operation: 'treasury cancel', path: `/api/treasury/payments/${paymentId}/cancel`, body: {} }
}

async function* ofSwarm(system: System): AsyncGenerator<Call> {
  const of = { otherPath: '/api/swarm/statistics' }
  const rejected = await judgedJob(system, 'reject')
  await until('it is rejected', async () => (await system.get(`/api/swarm/validations/${rejected.validationId}`)).status === 'rejected')
  const appeal = { statement: 'It is right.', deliverableUrl: 'https://example.org/audit' }
  yield { ...of, headers: rejected.worker.headers, operation: 'appeal', path: `/api/validations/${rejected.validationId}/appeal`, body: appeal }
  const { gigId, validationId, validator } = await judgedJob(system, 'approve', smallBudget)
  await escrowIs(system, gigId, 'released')
  await until('its reward is funded', async () => (await system.get(`/api/swarm/claimable-rewards/${validator}`)).totalClaimable > 0)
  const topUp = { amount: 0.01, reason: 'a fee that was too low' }
  yield { ...of, headers: system.admin, operation: 'reward top-up', path: `/api/admin/rewards/${validationId}/top-up`, body: topUp }
  const headers = await headersOf(system, validator)
  yield { ...of, headers, operation: 'reward claim', path: '/api/swarm/claim-rewards', body: { agentId: validator } }
}

async function* ofJobs(system: System): AsyncGenerator<Call> {
  const job = await newCommerceJob(system)
  const of = { otherPath: `/api/erc8183/jobs/${(await newCommerceJob(system)).jobId}` }
  const headers = { 'x-wallet-address': job.poster.wallet.address }
  yield { ...of, headers, operation: 'job fund', path: `/api/erc8183/jobs/${job.jobId}/fund`, body: {} }
  await commerceJobIs(system, job.jobId, 'funded')
  const { jobId } = await submittedCommerceJob(system)
  yield { ...of, headers: system.admin, operation: 'job settle', path: `/api/erc8183/jobs/${jobId}/settle`, body: { outcome: 'settle' } }
}

const balanceOf = async (system: System, { id, headers }: Player): Promise<number> =>
  (await system.call('GET', `/api/agents/${id}/treasury/balance`, { headers })).body.balance

async function newTreasury(system: System, prefix: string): Promise<Player> {
  const player = await system.newPlayer({ prefix })
  const { depositAddress } = await system.post(`/api/agents/${player.id}/treasury/fund`, {}, player.headers)
  await system.faucet(depositAddress, 40, 'BASE_SEPOLIA')
  await until('it is credited', async () => (await balanceOf(system, player)) > 0)
  return player
}

async function deposited(system: System, { id, headers }: Player, amount: number): Promise<void> {
  await system.post(`/api/bond/${id}/deposit`, { amount }, headers)
  await until('the bond has arrived', async () => (await system.get(`/api/bond/${id}/status`)).availableBond === amount)
}

async function deliveredJob(system: System, budget?: number): Promise<Job> {
  const job = await fundedJob(system, { budget })
  await deliver(system, job)
  await gigIs(system, job.gigId, 'pending_validation')
  return job
}

/** A job whose panel has voted alike, and one of those who did. */
async function judgedJob(system: System, choice: 'approve' | 'reject', budget?: number): Promise<Job & { validationId: string; validator: string }> {
  const job = await deliveredJob(system, budget)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), choice)
  return { ...job, validationId: id, validator: panel[0]! }
}

async function newGig(system: System, poster: Player): Promise<string> {
  const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget: 40 }
  return (await system.post('/api/gigs', draft, poster.headers)).id
}
