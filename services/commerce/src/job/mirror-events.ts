import { type ChainLog, chainEvent, chainEventRemoved, type PayloadOf, watchedContractEvents } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { jobIdOn, jobIdTopic, toChecksum } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { concat, keccak256 } from 'ethers'
import type { Parts } from '../parts.ts'
import { contractAt, contractOf, type JobContract } from './bound-contract.ts'
import { changeJob, momentOf } from './change-job.ts'
import { type ContractJob, numberNow, readContractJob } from './contract-job.ts'
import { type ChainStep, type Job, keyOf, type Step } from './job.ts'
import { mirror, mirroredJob, regress } from './mirror.ts'
import { deliverableHashOf, type Observed } from './observed.ts'
import { termsOf } from './terms.ts'

type Log = PayloadOf<ReturnType<typeof chainEvent>>

/** Jobs and steps that somebody made on the contract itself. */
export const mirrorEvents = (parts: Parts): Subscription[] => [
  ...watchedContractEvents.Commerce.map(name => on(chainEvent('Commerce', name), log => (log.final ? follow(parts, log) : Promise.resolve()))),
  on(chainEventRemoved, log => (log.contract === 'Commerce' ? goBack(parts, log) : Promise.resolve())),
]

/** The step that an event of the contract reports; the others change the terms. */
const stepOf: Readonly<Record<string, Step>> = {
  JobFunded: 'fund',
  JobAssigned: 'assign',
  JobSubmitted: 'submit',
  JobDisputed: 'dispute',
  JobSettled: 'settle',
  JobCancelled: 'settle',
  JobRejected: 'settle',
}

const numberIn = ({ args }: Pick<ChainLog, 'args'>): string => String(BigInt(String(args.jobId)))

/** The jobs that are known by this number of a contract. More than one while a reorganisation changes numbers and some have not followed yet. */
async function numbered(parts: Parts, { network: chain, address, ...log }: Pick<Log, 'network' | 'args' | 'address'>): Promise<Stored<Job>[]> {
  const jobs = await parts.jobs.find({ onChainJobId: numberIn(log), chain })
  const contracts = await Promise.all(jobs.map(job => contractOf(parts, job)))
  return jobs.filter((_, at) => contracts[at] === address)
}

async function follow(parts: Parts, log: Log): Promise<void> {
  const { network, txHash } = log
  const number = numberIn(log)
  const jobs = await numbered(parts, log)
  if (jobs.length === 0) {
    const isOurs = log.event === 'JobCreated' && String(log.args.budget) !== '0'
    if (isOurs) return
    if (log.event !== 'JobCreated') throw new Retry(`job ${number} of ${network} is not known yet`)
  }
  // what we did ourselves is known by the outcomes of our commands; a client may do several steps in one transaction
  const isOwnStep = ({ applied, isForeign, onChain }: ChainStep) => applied && !isForeign && onChain.txHash === txHash
  if (jobs.some(({ on: steps }) => Object.values(steps).some(isOwnStep))) return
  const holders = await holdersOf(parts, jobs)
  if (holders.length === 0 && jobs.length > 0) throw new Retry(`the jobs known as ${number} of ${network} have other numbers now`)
  const place = await contractAt(parts, network, log.address)
  const contract = await readContractJob(parts, network, holders[0] ? keyOf(holders[0]) : jobIdTopic(BigInt(number)), place.contract)
  if (!contract) throw new Retry(`job ${number} of ${network} is not shown`)
  const job = holders.find(holder => isOf(holder, contract))
  if (!job && log.event !== 'JobCreated') throw new Retry(`job ${number} of ${network} is another one now, and not known yet`)
  const seen = await mirroredOf(parts, log, contract, place)
  if (seen.step === 'fund' && contract.status === 'Open' && contract.deposit === null)
    throw new Retry(`the payment of job ${number} is not shown yet`)
  if (!job) {
    // the same for every delivery of its events
    const id = await idOf(parts, log, contract, holders)
    const moment = await momentOf(parts, { id, posterId: seen.posterId, assigneeId: seen.assigneeId })
    await parts.jobs.createOnce(id, () => mirroredJob({ id, chain: network, onChainJobId: number, ...place }, seen, moment))
    return
  }
  const moment = await momentOf(parts, { id: job.id, posterId: seen.posterId, assigneeId: seen.assigneeId })
  await changeJob(parts, job.id, present => mirror(fundingDecided(present, seen), seen, moment))
}

/**
 * The client has ended a job whose funding is under way, or its money has left and nothing says whose it was: without a command the funding is not made
 * any more.
 * @throws Retry while a command may still have paid, or be refused
 */
function fundingDecided(job: Stored<Job>, { step, payer, contract }: Observed): Stored<Job> {
  const isCertain = step === 'create' || (step !== 'settle' && (payer ?? contract.deposit) !== null)
  if (isCertain || job.status !== 'open' || !job.funding) return job
  if (job.funding.stage === 'reserving') return { ...job, funding: null }
  throw new Retry(`job ${job.id} has ended, and the outcome of its funding is still to come`)
}

/** A reorganisation may have given the number of a job to another one: those whose key has it now, all of them the same key. */
async function holdersOf(parts: Parts, jobs: readonly Stored<Job>[]): Promise<Stored<Job>[]> {
  const numbers = await Promise.all(jobs.map(job => numberNow(parts, job)))
  return jobs.filter((job, at) => numbers[at] === job.onChainJobId)
}

/** The key of a job that a wallet made is its number: after a reorganisation it may name the job of another wallet, which is no news of this one. */
const isOf = (job: Job, { client }: ContractJob): boolean => !job.mirrored || toChecksum(job.posterWallet) === toChecksum(client)

/** The record of a job that was made on the contract; where the number was another wallet's before, it is named by the client, too. */
function idOf(parts: Parts, log: Log, { client }: ContractJob, holders: readonly Job[]): Promise<string> {
  const number = jobIdTopic(BigInt(numberIn(log)))
  return jobIdOn(parts.networks, log.network, holders.length === 0 ? number : keccak256(concat([number, client])), log.address)
}

async function mirroredOf(parts: Parts, log: Log, contract: ContractJob, place: JobContract): Promise<Observed> {
  const { event, args, txHash, blockNumber } = log
  const hash = event === 'JobSubmitted' ? deliverableHashOf(log) : null
  return {
    ...(await termsOf(parts, contract, place)),
    step: stepOf[event] ?? 'create',
    isWithdrawal: isWithdrawal(log, contract),
    payer: event === 'JobFunded' && args.funder !== undefined ? String(args.funder) : null,
    ...{ txHash, blockNumber, deliverableHash: hash, submissionId: parts.newId() },
  }
}

/** A job that is not open any more can be rejected by its evaluator alone. */
function isWithdrawal({ event, args }: Log, { status, client, evaluator }: ContractJob): boolean {
  if (status !== 'Rejected') return false
  if (event === 'JobCancelled') return true
  return event === 'JobRejected' && client !== evaluator && typeof args.rejector === 'string' && toChecksum(args.rejector) === toChecksum(client)
}

async function goBack(parts: Parts, log: Omit<Log, 'final'>): Promise<void> {
  for (const job of await numbered(parts, log)) {
    const shown = await readContractJob(parts, log.network, keyOf(job), log.address)
    // what another wallet has made under the same number is none of this job
    const contract = shown && isOf(job, shown) ? shown : null
    await changeJob(parts, job.id, present => regress(present, log.txHash, contract, parts.clock.now()))
  }
}
