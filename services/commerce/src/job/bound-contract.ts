import type { Chain } from '@carapace/api'
import { orFirst } from '@carapace/chain'
import type { Parts } from '../parts.ts'
import type { Job } from './job.ts'

/** Where jobs are: a contract, and the platform's evaluator in it. */
export interface JobContract {
  contract: string
  evaluator: string
}
type Networks = Pick<Parts, 'networks'>

/** The contracts of a network that may have jobs, oldest first: the last one has the new ones. @throws DEPENDENCY_UNAVAILABLE */
export async function contractsOn({ networks }: Networks, chain: Chain): Promise<readonly JobContract[]> {
  const contracts = await networks.everyContract(chain, 'commerce')
  const evaluators = await networks.everyContract(chain, 'jobEvaluator')
  return contracts.map((contract, at) => ({ contract, evaluator: evaluators[at]! }))
}

/** Where new jobs are opened. @throws DEPENDENCY_UNAVAILABLE */
export const newestContract = async (parts: Networks, chain: Chain): Promise<JobContract> => (await contractsOn(parts, chain)).at(-1)!

/**
 * The contract at an address, also one that is newer than this process.
 * @throws DEPENDENCY_UNAVAILABLE, and Error where no contract of jobs is there
 */
export async function contractAt(parts: Networks, chain: Chain, address: string): Promise<JobContract> {
  if ((await parts.networks.contractAt(chain, ['commerce'], address)) === undefined)
    throw new Error(`no contract of jobs is at ${address} of ${chain}`)
  return (await contractsOn(parts, chain)).find(({ contract }) => contract === address)!
}

/** The contract that has a job. Before it was stored with a job, there was only one. @throws DEPENDENCY_UNAVAILABLE */
export async function contractOf({ networks }: Networks, { chain, contract }: Pick<Job, 'chain' | 'contract'>): Promise<string> {
  return contract ?? orFirst(await networks.everyContract(chain, 'commerce'), contract)
}

/** The same where the contracts are known already. */
export function shownContractOf({ networks }: Networks, { chain, contract }: Pick<Job, 'chain' | 'contract'>): string | null {
  const every = networks.cachedEveryContract(chain, 'commerce')
  return every ? orFirst(every, contract) : (contract ?? null)
}
