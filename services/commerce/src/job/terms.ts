import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { contractAt, contractOf, type JobContract } from './bound-contract.ts'
import { changeJob } from './change-job.ts'
import { type ContractJob, readContractJob } from './contract-job.ts'
import { type Job, keyOf } from './job.ts'
import { withTerms } from './mirror.ts'
import type { Terms } from './observed.ts'

/** Who the wallets of a job are, and whether the platform judges it. */
export async function termsOf({ agents }: Pick<Parts, 'agents'>, contract: ContractJob, { evaluator }: JobContract): Promise<Terms> {
  const activeAgent = async (wallet: string | null): Promise<string | null> => {
    const agent = wallet === null ? undefined : await agents.byWallet(wallet)
    return agent?.status === 'active' ? agent.id : null
  }
  const [posterId, assigneeId] = await Promise.all([activeAgent(contract.client), activeAgent(contract.provider)])
  return { contract, posterId, assigneeId, isOurEvaluator: contract.evaluator === evaluator }
}

/**
 * Reads the terms of a job whose funding has failed: what the client changed on the contract while it was under way was not followed, and may be why.
 * @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export async function renewTerms(parts: Parts, jobId: string): Promise<Stored<Job>> {
  const job = await parts.jobs.need(jobId)
  const isOnChain = job.onChainJobId !== null && job.on.create?.onChain.status === 'confirmed'
  if (job.status !== 'open' || job.funding || !isOnChain) return job
  const place = await contractAt(parts, job.chain, await contractOf(parts, job))
  const contract = await readContractJob(parts, job.chain, keyOf(job), place.contract)
  if (!contract) return job
  const terms = await termsOf(parts, contract, place)
  return changeJob(parts, jobId, present => {
    const state = withTerms(present, terms)
    return state === present ? undefined : { state, events: [] }
  })
}
