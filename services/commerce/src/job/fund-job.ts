import { type AgentCaller, type Authorization, type FundingOptions, Refusal, refuse } from '@carapace/api'
import { findSource, optionsNow, reserveCustodial } from '@carapace/chain'
import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { contractOf } from './bound-contract.ts'
import { changeJob } from './change-job.ts'
import { fundsRefused, needOnChain, reserveFunds, sendFund } from './commands.ts'
import { type Job, keyOf, needIdle } from './job.ts'
import { jobStates } from './job-states.ts'
import { renewTerms } from './terms.ts'

export interface FundRequest {
  jobId: string
  authorization: Authorization | undefined
  caller: AgentCaller
  isProven: boolean
  operationId: string
}

/**
 * Locks the budget of an open job, once. Resolves when the record is made and its command is on the way; the same operation again finds what it began.
 * @throws NOT_POSTER, INVALID_STATE, FUNDS_REQUIRED
 */
export async function startFunding(parts: Parts, request: FundRequest): Promise<Stored<Job>> {
  const { jobId, caller, operationId } = request
  const job = await parts.jobs.need(jobId)
  if (job.posterId !== caller.agentId) refuse('NOT_POSTER')
  if (job.funding?.operationId === operationId) return job
  jobStates.move(job.status, 'fund')
  needIdle(job)
  needOnChain(job)
  const need = {
    agentId: caller.agentId,
    wallet: job.posterWallet,
    chain: job.chain,
    amount: job.budget,
    contract: 'commerce' as const,
    contractAddress: await contractOf(parts, job),
    authorization: request.authorization,
    fromAllowance: job.chain === 'SKALE_TESTNET',
    isProven: request.isProven,
  }
  const found = await findSource(parts, need)
  if (found.kind === 'none') throw await without(parts, job, found.options)
  const reserved = await changeJob(parts, jobId, present => {
    const reservation = reserveFunds(present, { operationId, kind: found.kind, from: found.from })
    return found.kind === 'treasury' ? reservation : sendFund(reservation.state, found.source)
  })
  if (found.kind !== 'treasury') return reserved
  // from here on the funding is carried out, by the job if not by this call: what fails in passing refuses nothing
  const sent = (await unlessPassing(drawOnTreasury(parts, reserved))) ?? reserved
  if (sent.funding === null) throw await without(parts, job, await optionsNow(parts, need))
  return sent
}

/** Also what the sweeper calls for a record that a crash left without a command. */
export async function drawOnTreasury(parts: Parts, job: Job): Promise<Stored<Job>> {
  const { id, posterId, budget: amount, chain, funding } = job
  const { round } = funding!
  const wish = { owner: 'commerce' as const, key: `job.fund:${id}`, round, agentId: posterId!, amount, chain, purpose: `Job ${id}` }
  const source = await reserveCustodial(parts, wish)
  if (!source) {
    const refused = await changeJob(parts, id, present => fundsRefused(present, round))
    return (await unlessPassing(renewTerms(parts, id))) ?? refused
  }
  return changeJob(parts, id, present => (present.funding?.round === round ? sendFund(present, source) : undefined))
}

async function without(parts: Parts, job: Job, options: FundingOptions): Promise<Refusal> {
  const key = keyOf(job)
  const onchain = { contract: await contractOf(parts, job), function: 'prefund(bytes32 key, uint256 amount)', key, amount: String(job.budget) }
  return new Refusal('FUNDS_REQUIRED', { details: { options: { ...options, nonce: key, onchain } } })
}

/** The job once the funding of this operation has ended; undefined while it is under way. @throws FUNDS_REQUIRED, CONFLICT when it failed */
export async function fundingOutcome({ jobs }: Parts, jobId: string, operationId: string): Promise<Stored<Job> | undefined> {
  const job = await unlessPassing(jobs.need(jobId))
  if (!job) return undefined
  const { fundingFailure } = job
  if (fundingFailure?.operationId === operationId) {
    const details = { code: fundingFailure.code, reason: fundingFailure.message }
    const isMoney = /Insufficient|exceeds|authoriz|signature|permit/i.test(fundingFailure.message)
    refuse(isMoney ? 'FUNDS_REQUIRED' : 'CONFLICT', details, { message: 'The funding failed on chain; nothing was moved' })
  }
  return job.on.fund?.applied ? job : undefined
}
