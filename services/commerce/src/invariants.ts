import { type Chain, chainRelayerApi, chains } from '@carapace/api'
import { accountFaults, type Checks } from '@carapace/service'
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
  contracts: async ({ jobs, ledger, peers }) => {
    const faults = await Promise.all(
      chains.map(async chain => {
        const moving = await moneyUnderWay(jobs, chain)
        const booked = [...(await ledger.open('job:')).on(chain).values()].reduce((sum, balance) => sum + balance, 0n)
        const body = { contract: 'Commerce', fn: 'totalDeposits', args: [] }
        const { result } = await peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain }, body })
        const held = BigInt(String(result[0]))
        const difference = booked > held ? booked - held : held - booked
        // also of those that began while the two were read
        const tolerated = [...new Map([...moving, ...(await moneyUnderWay(jobs, chain))]).values()].reduce((sum, budget) => sum + budget, 0n)
        return difference <= tolerated ? [] : [`${chain}: the ledger holds ${booked} for jobs, the contract ${held}`]
      }),
    )
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

/** Budgets of the jobs whose money may be on either side now. */
async function moneyUnderWay(jobs: Parts['jobs'], chain: Chain): Promise<Map<string, bigint>> {
  const found = await jobs.find({ chain, $or: [{ isWaiting: true }, { 'funding.stage': { $in: ['reserving', 'sent'] } }] })
  const isMoving = ({ on, funding }: Job) =>
    [on.fund, on.settle].some(step => step?.onChain.status === 'pending') || funding?.stage === 'reserving' || funding?.stage === 'sent'
  return new Map(found.filter(isMoving).map(({ id, budget }) => [id, budget]))
}

const isSettling = (job: Job): boolean => job.on.settle?.onChain.status === 'pending' || settleAgainAt(job) !== null

function settlementFault({ id, on }: Job & { id: string }): string {
  const { retryAt, onChain } = on.settle!
  return `the settlement of job ${id} failed${retryAt ? `: ${onChain.error}` : `, its round ${onChain.round} is under way`}`
}
