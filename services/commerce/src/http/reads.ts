import { chainRelayerApi, chains, type commerceApi, escrowApi, jobStatuses, refuse, refuseField, riskLevelOf, swarmApi, usd } from '@carapace/api'
import { commerceAbis, perChain, toChecksum } from '@carapace/chain'
import { baseUrlOf, type Handlers } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Application } from '../application/application.store.ts'
import { maxRisk, minScore } from '../application/eligibility.ts'
import { contractOf } from '../job/bound-contract.ts'
import { budgetRange, isCreationLost, type Job, platformFeeBp } from '../job/job.ts'
import { settleAt } from '../job/timers.ts'
import { viewOf, viewsOf } from '../job/views.ts'
import type { Parts } from '../parts.ts'

/** More contracts than a network will ever have. */
const mostNumbered = 100
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of which network, and of which contract there, a number is. */
export interface Numbered {
  chain?: string | undefined
  contract?: string | undefined
}

/** A job by its id, or by its number on a contract. @throws NOT_FOUND; VALIDATION_ERROR when the number is of several */
export async function needJob(parts: Parts, jobId: string, { chain, contract }: Numbered): Promise<Stored<Job>> {
  const { jobs } = parts
  if (uuid.test(jobId)) return jobs.need(jobId.toLowerCase())
  if (!/^\d{1,78}$/.test(jobId)) refuse('NOT_FOUND', { resource: 'job' })
  const numbered = await jobs.find({ onChainJobId: String(BigInt(jobId)), ...(chain ? { chain } : {}) }, { limit: mostNumbered })
  const found = contract === undefined ? numbered : await onContract(parts, numbered, contract)
  const present = found.filter(job => !isCreationLost(job))
  if (new Set(present.map(job => job.chain)).size > 1) refuseField('chain', 'this number is that of a job on each network')
  if (present.length > 1) refuseField('contract', 'this number is that of a job on several contracts')
  return present[0] ?? found.at(-1) ?? refuse('NOT_FOUND', { resource: 'job' })
}

async function onContract(parts: Parts, jobs: readonly Stored<Job>[], contract: string): Promise<Stored<Job>[]> {
  const places = await Promise.all(jobs.map(job => contractOf(parts, job)))
  return jobs.filter((_, at) => places[at] === toChecksum(contract))
}

export const readHandlers = (parts: Parts) =>
  ({
    getCommerceInfo: async () => {
      const all = await Promise.all(chains.map(async chain => [chain, await networkInfo(parts, chain)] as const))
      const networks = Object.fromEntries(all) as Record<(typeof chains)[number], Awaited<ReturnType<typeof networkInfo>>>
      const { chainId, address } = networks.BASE_SEPOLIA
      const base = baseUrlOf(parts.config)
      return {
        standard: 'ERC-8183',
        abiVersion: '2.0.0',
        contractAddress: address,
        chain: 'BASE_SEPOLIA' as const,
        chainId,
        platformFeeBps: platformFeeBp,
        statusValues: [...jobStatuses],
        caps: { minBudget: usd(budgetRange.min), maxBudget: usd(budgetRange.max) },
        networks: perChain(chain => networks[chain]),
        abis: { spec: `${base}/api/erc8183/abi/spec`, erc8183: `${base}/api/erc8183/abi/erc8183` },
      }
    },

    getCommerceAbi: ({ params }) => [...commerceAbis[params.name]()] as { type: string }[],

    listJobs: async ({ query }) => {
      const { status, chain, posterAgentId, assigneeAgentId, ...page } = query
      const filter = {
        ...(status ? { status } : {}),
        ...(chain ? { chain } : {}),
        ...(posterAgentId ? { posterId: posterAgentId } : {}),
        ...(assigneeAgentId ? { assigneeId: assigneeAgentId } : {}),
      }
      const { items, total } = await parts.jobs.page(filter, page)
      return { jobs: await viewsOf(parts, items), total, ...page }
    },

    getJob: async ({ params, query }) => viewOf(parts, await needJob(parts, params.jobId, query)),

    listJobApplicants: async ({ params, query: { chain, contract, ...page } }) => {
      const job = await needJob(parts, params.jobId, { chain, contract })
      const { items, total } = await parts.applications.page({ jobId: job.id }, page)
      const refs = await parts.agents.refs(items.map(({ agentId }) => agentId))
      return { applicants: items.map(item => ({ ...applicantView(item), agent: refs(item.agentId) })), total, ...page }
    },

    getJobQuorum: async ({ params, query }) => {
      const job = await needJob(parts, params.jobId, query)
      const { validations } = await parts.peers.call('swarm', swarmApi.internal.listJobValidations, { params: { jobId: job.id } })
      const found = validations.find(({ submissionId }) => submissionId === job.delivery?.submissionId)
      if (!found) return noQuorum
      return {
        exists: true,
        status: found.status,
        validationId: found.validationId,
        votesFor: found.approvals,
        votesAgainst: found.rejections,
        totalVotes: found.votes.length,
        threshold: found.threshold,
        candidateCount: found.candidateCount,
        finalized: found.status !== 'pending',
        settleAfter: job.verdict && job.verdict.result !== 'expired' ? settleAt(job.verdict).toISOString() : null,
      }
    },

    listAgentJobs: async ({ params, query }) => {
      const { id } = await parts.agents.need(params.agentId)
      const { items, total } = await parts.jobs.page({ posterId: id }, query)
      return { jobs: await viewsOf(parts, items), total, ...query }
    },

    listAgentJobApplications: async ({ params, query }) => {
      const { id } = await parts.agents.need(params.agentId)
      const { items, total } = await parts.applications.page({ agentId: id }, query)
      const jobs = new Map((await parts.jobs.find({ _id: { $in: items.map(({ jobId }) => jobId) } })).map(job => [job.id, job]))
      const applications = items.flatMap(item => {
        const job = jobs.get(item.jobId)
        return job ? [{ ...applicantView(item), job: { id: job.id, title: job.title, status: job.status, budgetUsdc: usd(job.budget) } }] : []
      })
      return { applications, total, ...query }
    },

    checkJobEligibility: async ({ params: { wallet } }) => {
      const agent = await parts.agents.byWallet(wallet)
      if (!agent)
        return {
          ...{
            wallet: toChecksum(wallet),
            isRegisteredAgent: false,
            eligible: false,
            fusedScore: 0,
            tier: null,
            bondStatus: 'UNBONDED' as const,
            availableBond: 0,
          },
          ...{ riskLevel: 'low' as const, reasons: ['Wallet is not registered'], standard: 'ERC-8183' as const },
        }
      const bond = await parts.peers.call('escrow', escrowApi.internal.getBondRow, { params: { agentId: agent.id } })
      const { fusedScore, tier, riskScore, status } = agent
      const reasons = [
        ...(fusedScore < minScore ? [`FusedScore ${fusedScore} is below the required ${minScore}`] : []),
        ...(riskScore > maxRisk ? [`Risk ${riskScore} is above the allowed ${maxRisk}`] : []),
        ...(status === 'active' ? [] : [`Agent is ${status}`]),
      ]
      return {
        wallet: agent.wallet ?? wallet,
        isRegisteredAgent: true,
        eligible: reasons.length === 0,
        fusedScore,
        tier,
        bondStatus: bond.bondStatus,
        availableBond: usd(BigInt(bond.availableBond)),
        riskLevel: riskLevelOf(riskScore),
        reasons,
        standard: 'ERC-8183' as const,
      }
    },
  }) satisfies Handlers<typeof commerceApi>

const noQuorum = {
  ...{ exists: false, status: null, validationId: null, votesFor: 0, votesAgainst: 0, totalVotes: 0, threshold: 0, candidateCount: 0 },
  ...{ finalized: false, settleAfter: null },
}

export const applicantView = ({ id, jobId, agentId, proposal, createdAt }: Stored<Application>) => ({
  ...{ id, jobId, agentId, proposal },
  createdAt: createdAt.toISOString(),
})

/** A network that is away is shown as such. */
async function networkInfo({ networks, peers }: Parts, chain: (typeof chains)[number]) {
  const { commerce: address, jobEvaluator: evaluator, usdc } = await networks.contracts(chain)
  const { chainId } = (await networks.all()).find(network => network.chain === chain)!
  try {
    const read = { contract: 'Commerce', fn: 'paused', args: [] }
    const { result } = await peers.call('chain-relayer', chainRelayerApi.internal.chainRead, { params: { chain }, body: read })
    return { chainId, address, evaluator, usdc, status: 'active', paused: result[0] === true }
  } catch {
    return { chainId, address, evaluator, usdc, status: 'unavailable', paused: false }
  }
}
