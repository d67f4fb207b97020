import { type ChainLog, chainEvent, chainEventRemoved, type PayloadOf, watchedContractEvents } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { jobIdOn, jobIdTopic } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { contractAt, contractOf, type JobContract } from './bound-contract.ts'
import { changeJob, momentOf } from './change-job.ts'
import { type ContractJob, numberNow, readContractJob } from './contract-job.ts'
import { type ChainStep, type Job, keyOf, type Step } from './job.ts'
import { type Mirrored, mirror, mirroredJob, regress } from './mirror.ts'
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
  const job = await ownerOf(parts, jobs)
  if (!job && jobs.length > 0) throw new Retry(`the jobs known as ${number} of ${network} have other numbers now`)
  // the same for every delivery of its events
  const place = await contractAt(parts, network, log.address)
  const id = await jobIdOn(parts.networks, network, jobIdTopic(BigInt(number)), place.contract)
  const contract = await readContractJob(parts, network, keyOf(job ?? { id, mirrored: true, onChainJobId: number }), place.contract)
  const seen = await mirroredOf(parts, log, contract, place)
  if (seen.step === 'fund' && contract.status === 'Open' && contract.deposit === null)
    throw new Retry(`the payment of job ${number} is not shown yet`)
  if (!job) {
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
function fundingDecided(job: Stored<Job>, { step, payer, contract }: Mirrored): Stored<Job> {
  const isCertain = step === 'create' || (step !== 'settle' && (payer ?? contract.deposit) !== null)
  if (isCertain || job.status !== 'open' || !job.funding) return job
  if (job.funding.stage === 'reserving') return { ...job, funding: null }
  throw new Retry(`job ${job.id} has ended, and the outcome of its funding is still to come`)
}

/** A reorganisation may have given the number of a job to another one: whose it is now. */
async function ownerOf(parts: Parts, jobs: readonly Stored<Job>[]): Promise<Stored<Job> | undefined> {
  for (const job of jobs) if ((await numberNow(parts, job)) === job.onChainJobId) return job
  return undefined
}

async function mirroredOf(parts: Parts, { event, args, txHash, blockNumber }: Log, contract: ContractJob, place: JobContract): Promise<Mirrored> {
  const hash = event === 'JobSubmitted' ? String(args.deliverableHash ?? args.deliverable) : null
  return {
    ...(await termsOf(parts, contract, place)),
    step: stepOf[event] ?? 'create',
    payer: event === 'JobFunded' && args.funder !== undefined ? String(args.funder) : null,
    ...{ txHash, blockNumber, deliverableHash: hash, submissionId: parts.newId() },
  }
}

async function goBack(parts: Parts, log: Omit<Log, 'final'>): Promise<void> {
  for (const job of await numbered(parts, log)) {
    const contract = await readContractJob(parts, log.network, keyOf(job), log.address)
    await changeJob(parts, job.id, present => regress(present, log.txHash, contract, parts.clock.now()))
  }
}
