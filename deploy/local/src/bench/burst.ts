import { type Player, type System, until } from '@carapace/testing'
import { deliver, fundedJob, type Job, openPanel, vote } from '../testing/job.ts'

/** What became of many concurrent calls of one operation on one aggregate. */
export interface Burst {
  operation: string
  /** From the first call to the last answer. */
  totalMs: number
  /** Of the whole process, callers and devnet door included. */
  cpuMs: number
  /** How many answers had which status. */
  statuses: Record<string, number>
  /** The slowest read of another aggregate of that service meanwhile. */
  otherMs: number
}

/** Answers that report to the caller how its call ended, or where it can see that. */
export const finalStatuses: readonly number[] = [200, 201, 202, 402, 409, 429]

/** Plays `calls` concurrent calls of each money operation, one operation after another. */
export async function* burstAll(system: System, calls: number): AsyncGenerator<Burst> {
  const rejected = await rejectedJob(system)
  const [owner, other] = [await system.newPlayer({ prefix: 'owner', usdc: 10_000 }), await system.newPlayer({ prefix: 'other' })]
  const bond = { player: owner, otherPath: `/api/bond/${other.id}/status` }
  yield burst(system, calls, { ...bond, operation: 'bond deposit', path: `/api/bond/${owner.id}/deposit`, body: { amount: 10 } })
  yield burst(system, calls, { ...bond, operation: 'bond withdraw', path: `/api/bond/${owner.id}/withdraw`, body: { amount: 5 } })
  const first = { gigId: await newGig(system, owner), amount: 40 }
  yield burst(system, calls, { ...bond, operation: 'escrow create', path: '/api/escrow/create', body: first })
  const second = { gigId: await newGig(system, owner), agentId: owner.id, amount: 40 }
  yield burst(system, calls, { ...bond, operation: 'fund-escrow', path: '/api/agent-payments/fund-escrow', body: second })
  const swarm = { player: rejected.worker, otherPath: '/api/swarm/statistics' }
  const appeal = { statement: 'It is right.', deliverableUrl: 'https://example.org/audit' }
  yield burst(system, calls, { ...swarm, operation: 'appeal', path: `/api/validations/${rejected.validationId}/appeal`, body: appeal })
}

async function rejectedJob(system: System): Promise<Job & { validationId: string }> {
  const job = await fundedJob(system)
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'reject')
  await until('it is rejected', async () => (await system.get(`/api/swarm/validations/${id}`)).status === 'rejected')
  return { ...job, validationId: id }
}

async function newGig(system: System, poster: Player): Promise<string> {
  const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget: 40 }
  return (await system.post('/api/gigs', draft, poster.headers)).id
}

interface Call {
  operation: string
  path: string
  body: object
  player: Player
  otherPath: string
}

async function burst(system: System, calls: number, { operation, path, body, player, otherPath }: Call): Promise<Burst> {
  const statuses: Record<string, number> = {}
  const start = performance.now()
  const cpu = process.cpuUsage()
  let isOver = false
  const watch = slowestRead(system, otherPath, () => isOver)
  await Promise.all(
    Array.from({ length: calls }, async () => {
      const { status } = await system.call('POST', path, { body, headers: player.headers })
      statuses[status] = (statuses[status] ?? 0) + 1
    }),
  )
  const totalMs = performance.now() - start
  const { user, system: kernel } = process.cpuUsage(cpu)
  isOver = true
  return { operation, totalMs, cpuMs: (user + kernel) / 1_000, statuses, otherMs: await watch }
}

async function slowestRead(system: System, path: string, isOver: () => boolean): Promise<number> {
  let slowest = 0
  while (!isOver()) {
    const start = performance.now()
    await system.call('GET', path)
    slowest = Math.max(slowest, performance.now() - start)
  }
  return slowest
}
