import { type Chain, chainRelayerApi, chains } from '@carapace/api'
import { accountFaults, type Checks } from '@carapace/service'
import { contractOf, contractsOn } from './job/bound-contract.ts'
import { type Job, settleAgainAt } from './job/job.ts'
import type { Parts } from './parts.ts'

const stuckAfterMs = 15 * 60_000
const ended = ['settled', 'rejected', 'cancelled']

/** Jobs whose settlement has failed, each by an index: what has failed is an operator's matter until it is made. */
export const settlingAgain = [
  { 'on.settle.retryAt': { $gt: new Date(0) } },
  { isWaiting: true, 'on.settle.onChain.status': 'pending', 'on.settle.onChain.round': { $gt: 1 } },
]

/** The invariants of behaviour 18 that commerce can judge by its own books; each names what breaks it. */
export const checks: Checks<Parts> = {
  ledger: ({ ledger }, extent) => (extent === 'whole' ? ledger.audit() : ledger.auditNews()),

  /** The account of a job holds its budget from the reservation to the end, and nothing else ever. */
  job_accounts: async ({ jobs, ledger }) => {
    const funded = await jobs.find({ funding: { $ne: null }, status: { $nin: ended } })
    const open = funded.map(({ id, budget }) => ({ id, amount: budget }))
    return accountFaults(ledger, 'job', open)
  },

  /** What the contract holds for jobs is what our books say, but for the money of steps that are under way. */
  contracts: async parts => {
    const faults = await Promise.all(chains.map(chain => contractFaults(parts, chain)))
    return faults.flat()
  },

  stuck: async ({ jobs, clock }) => {
    const before = new Date(clock.now().getTime() - stuckAfterMs)
    const settling = await jobs.findAny(settlingAgain)
    const waiting = await jobs.find({ 'funding.stage': { $in: ['reserving', 'sent'] }, updatedAt: { $lt: before } })
    return [
      ...settling.filter(isSettling).map(settlementFault),
      ...waiting.map(({ id }) => `the funding of job ${id} is under way for more than 15 minutes`),
    ]
  },
}

/** Each contract of a network by itself: money is paid only from where it is. */
async function contractFaults(parts: Parts, chain: Chain): Promise<string[]> {
  const moving = await moneyUnderWay(parts, chain)
  // jobs may be on a contract that is newer than this process
  await parts.networks.readAhead()
  const every = await contractsOn(parts, chain)
  const booked = await bookedIn(parts, chain)
  const compared = every.map(async ({ contract }) => {
    const body = { contract: 'Commerce', fn: 'totalDeposits', args: [], at: contract }
    const { result } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain }, body })
    return { contract, held: BigInt(String(result[0])) }
  })
  const read = await Promise.all(compared)
  // also of those that began while the two were read
  const moved = new Map([...moving, ...(await moneyUnderWay(parts, chain))])
  const strange = [...booked].filter(([contract]) => !every.some(one => one.contract === contract))
  const unknown = strange.map(([contract, due]) => `${chain}: the ledger holds ${due} for jobs of ${contract}, where no contract of jobs is`)
  const wrong = read.flatMap(({ contract, held }) => {
    const due = booked.get(contract) ?? 0n
    const tolerated = sum([...moved.values()].flatMap(job => (job.contract === contract ? job.budget : [])))
    const difference = due > held ? due - held : held - due
    const name = contract === every.at(-1)!.contract ? 'the contract' : `the contract ${contract}`
    return difference <= tolerated ? [] : [`${chain}: the ledger holds ${due} for jobs, ${name} ${held}`]
  })
  return [...wrong, ...unknown]
}

/** What the ledger has for the jobs of each contract. */
async function bookedIn(parts: Parts, chain: Chain): Promise<Map<string, bigint>> {
  const balances = [...(await parts.ledger.open('job:')).on(chain)].map(([name, balance]) => ({ id: name.slice('job:'.length), balance }))
  const [first, ...others] = await parts.networks.everyContract(chain, 'commerce')
  if (others.length === 0) return new Map([[first!, sum(balances.map(({ balance }) => balance))]])
  const jobs = await parts.jobs.many(balances.map(({ id }) => id))
  const booked = new Map<string, bigint>()
  for (const { id, balance } of balances) {
    // one without its record counts where the oldest ones are
    const contract = await contractOf(parts, jobs.get(id) ?? { chain })
    booked.set(contract, (booked.get(contract) ?? 0n) + balance)
  }
  return booked
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Budgets of the jobs whose money may be on either side now, and their contracts. */
async function moneyUnderWay(parts: Parts, chain: Chain): Promise<Map<string, { contract: string; budget: bigint }>> {
  const found = await parts.jobs.find({ chain, $or: [{ isWaiting: true }, { 'funding.stage': { $in: ['reserving', 'sent'] } }] })
  const isMoving = ({ on, funding }: Job) =>
    [on.fund, on.settle].some(step => step?.onChain.status === 'pending') || funding?.stage === 'reserving' || funding?.stage === 'sent'
  const moving = await Promise.all(
    found.filter(isMoving).map(async job => [job.id, { contract: await contractOf(parts, job), budget: job.budget }] as const),
  )
  return new Map(moving)
}

const isSettling = (job: Job): boolean => job.on.settle?.onChain.status === 'pending' || settleAgainAt(job) !== null

function settlementFault({ id, on }: Job & { id: string }): string {
  const { retryAt, onChain } = on.settle!
  return `the settlement of job ${id} failed${retryAt ? `: ${onChain.error}` : `, its round ${onChain.round} is under way`}`
}
