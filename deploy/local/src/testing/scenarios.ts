import assert from 'node:assert/strict'
import { daySeconds, hourSeconds, type Player, type System, until } from '@carapace/testing'
import { deliver, escrowIs, fundedJob, gigIs, type Job, micro, openPanel, panelOf, vote } from './job.ts'

/** The ends that a gig can come to, in an order in which one run of the platform clock serves all. */
export const scenarios: readonly (readonly [string, (system: System) => Promise<void>])[] = [
  ['an approved gig pays the worker the net, and a receipt says so', system => approved(system)],
  ['on the network without gas too', async system => approved(system, await fundedJob(system, { chain: 'SKALE_TESTNET', budget: 33.333333 }))],
  ['a bond is locked for its gig and free again when it is settled', bonded],
  ['a crew’s lead is paid for the crew’s gig', crewGig],
  ['a dispute that the admin decides for the worker pays', system => disputed(system, true)],
  ['a dispute that the admin decides for the poster refunds', system => disputed(system, false)],
  ['a frozen rejection that is appealed with success pays', frozenAndAppealed],
  ['a frozen rejection without an appeal refunds after 48 hours', frozen],
  ['a rejection by a seasoned panel refunds immediately', rejected],
  ['a gig whose deadline passes refunds by time alone', deadlineMissed],
  ['a gig that no panel judges ends by time alone', expired],
]

/** Enough agents for two panels that do not overlap. */
export const newValidators = (system: System): Promise<Player[]> =>
  Promise.all(Array.from({ length: 10 }, () => system.newPlayer({ prefix: 'validator' })))

async function approved(system: System, given?: Job): Promise<void> {
  const job = given ?? (await fundedJob(system))
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'approve')
  await gigIs(system, job.gigId, 'completed')
  await assertPaid(system, job)
}

async function bonded(system: System): Promise<void> {
  const worker = await system.newPlayer({ usdc: 100, prefix: 'worker' })
  const bond = async () => (await system.get(`/api/bond/${worker.id}/status`)) as { availableBond: number; lockedBond: number }
  await system.post(`/api/bond/${worker.id}/deposit`, { amount: 50 }, worker.headers)
  await until('the bond has arrived', async () => (await bond()).availableBond === 50)
  const job = await fundedJob(system, { worker, bondRequired: 20 })
  assert.equal((await bond()).lockedBond, 20)
  await approved(system, job)
  await until('the bond is free', async () => {
    const { availableBond, lockedBond } = await bond()
    return availableBond === 50 && lockedBond === 0
  })
}

async function crewGig(system: System): Promise<void> {
  const [worker, mate] = await Promise.all([system.newPlayer({ prefix: 'lead' }), system.newPlayer({ prefix: 'mate' })])
  const handle = `crew-${worker.handle.slice(-10)}`
  const crew = await system.post('/api/crews', { name: 'Vault readers', handle, members: [{ agentId: mate.id, role: 'CODER' }] }, worker.headers)
  await system.post(`/api/crews/${crew.id}/join`, {}, mate.headers)
  const job = await fundedJob(system, { worker, crewId: crew.id })
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  assert.ok(!panel.includes(mate.id), 'a crew-mate judges')
  await vote(system, id, panel.slice(0, 2), 'approve')
  assert.equal((await gigIs(system, job.gigId, 'completed')).crewId, crew.id)
  await assertPaid(system, job)
}

const disputed = async (system: System, releaseToPayee: boolean): Promise<void> => disputeGig(system, await fundedJob(system), releaseToPayee)

/** Has a funded gig delivered, disputed by its poster and resolved by an admin. */
export async function disputeGig(system: System, job: Job, releaseToPayee: boolean): Promise<void> {
  await deliver(system, job)
  await gigIs(system, job.gigId, 'pending_validation')
  const complaint = { gigId: job.gigId, reason: 'not what was asked for' }
  await until('the dispute is open', async () => {
    const { status, body } = await system.call('POST', '/api/escrow/dispute', { body: complaint, headers: job.poster.headers })
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
    return true
  })
  await gigIs(system, job.gigId, 'disputed')
  await system.post('/api/escrow/admin-resolve', { gigId: job.gigId, releaseToPayee, reason: 'looked at it' }, system.admin)
  await gigIs(system, job.gigId, releaseToPayee ? 'completed' : 'cancelled')
  await (releaseToPayee ? assertPaid : assertRefunded)(system, job)
}

/** Delivered and rejected by a panel of accounts younger than 48 hours: the slash is frozen. */
async function frozenJob(system: System): Promise<{ job: Job; validationId: string }> {
  const job = await fundedJob(system)
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'reject')
  await gigIs(system, job.gigId, 'disputed')
  assert.equal((await system.get(`/api/swarm/validations/${id}`)).bondSlashFrozen, true)
  return { job, validationId: id }
}

async function frozenAndAppealed(system: System): Promise<void> {
  const { job, validationId } = await frozenJob(system)
  const plea = { statement: 'It is all there.', deliverableUrl: 'https://example.org/report-2' }
  const { appeal } = await system.post(`/api/validations/${validationId}/appeal`, plea, job.worker.headers)
  await vote(system, appeal.id, await panelOf(system, appeal.id), 'approve')
  await gigIs(system, job.gigId, 'completed')
  await assertPaid(system, job)
}

async function frozen(system: System): Promise<void> {
  const { job } = await frozenJob(system)
  await system.advance(48 * hourSeconds + 60)
  await gigIs(system, job.gigId, 'cancelled')
  await assertRefunded(system, job)
}

/** Comes after two days on the platform clock: the validators are no new agents any more. */
async function rejected(system: System): Promise<void> {
  const job = await fundedJob(system)
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'reject')
  const gig = await gigIs(system, job.gigId, 'cancelled')
  assert.equal(gig.closeReason, 'rejected')
  await assertRefunded(system, job)
}

async function deadlineMissed(system: System): Promise<void> {
  const job = await fundedJob(system, { deadlineHours: 1 })
  await system.advance(26 * hourSeconds)
  const gig = await gigIs(system, job.gigId, 'cancelled')
  assert.equal(gig.closeReason, 'deadline_missed')
  await assertRefunded(system, job)
}

/** Nobody votes: a second panel is drawn, then the gig is disputed, then the default falls. */
async function expired(system: System): Promise<void> {
  const job = await fundedJob(system)
  await deliver(system, job)
  await openPanel(system, job)
  await system.advance(3 * daySeconds + 60)
  await until('a second panel was drawn', async () => {
    const { validations } = await system.get(`/api/swarm/validations?gigId=${job.gigId}`)
    return validations.length === 2
  })
  await system.advance(3 * daySeconds + 60)
  await gigIs(system, job.gigId, 'disputed')
  await escrowIs(system, job.gigId, 'disputed')
  await system.advance(14 * daySeconds + 60)
  await gigIs(system, job.gigId, 'cancelled')
  await assertRefunded(system, job)
}

/** The receipt adds up, and the chain moved exactly what it says. */
export async function assertPaid(system: System, job: Job, seconds = 40): Promise<void> {
  await escrowIs(system, job.gigId, 'released', seconds)
  const receipt = await until('the receipt is there', async () => {
    const { status, body } = await system.call('GET', `/api/trust-receipts/gigs/${job.gigId}`)
    return status === 200 && (body.receipt ?? body)
  })
  assert.equal(micro(receipt.netPaid) + micro(receipt.platformFee), micro(job.budget))
  const { poster, worker } = await gained(system, job)
  assert.deepEqual({ poster, worker }, { poster: -micro(job.budget), worker: micro(receipt.netPaid) })
}

export async function assertRefunded(system: System, job: Job, seconds = 40): Promise<void> {
  await escrowIs(system, job.gigId, 'refunded', seconds)
  assert.deepEqual(await gained(system, job), { poster: 0n, worker: 0n })
}

async function gained(system: System, { chain, poster, worker, before }: Job): Promise<{ poster: bigint; worker: bigint }> {
  const [now, earned] = await Promise.all([system.usdcOf(chain, poster.wallet.address), system.usdcOf(chain, worker.wallet.address)])
  return { poster: now - before.poster, worker: earned - before.worker }
}
