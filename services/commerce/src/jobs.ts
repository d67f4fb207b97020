import { swarmApi, type ValidationRow } from '@carapace/api'
import { dueBy, eachDue, examination, type Job as PeriodicJob } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { checks } from './invariants.ts'
import { contractOf } from './job/bound-contract.ts'
import { changeJob, momentOf } from './job/change-job.ts'
import { readContractJob } from './job/contract-job.ts'
import { drawOnTreasury } from './job/fund-job.ts'
import { type Job, keyOf } from './job/job.ts'
import { isBeyond } from './job/mirror.ts'
import { dueOf, onTime } from './job/timers.ts'
import { recordVerdict } from './job/verdict.ts'
import type { Parts } from './parts.ts'

const everyMs = 5_000
const batch = 100
const abandonedMs = 30_000
const operatorMatters = new Set(['stuck'])

/** What time alone does. */
export const jobs = (parts: Parts): PeriodicJob[] => [
  {
    name: 'jobs that are due',
    everyMs,
    due: dueBy(parts.jobs, 'dueAt'),
    run: async now => {
      const due = await parts.jobs.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch })
      await eachDue(parts.log, due, job => moveOn(parts, job))
    },
  },
  {
    name: 'fundings that a crash left without a command',
    everyMs,
    due: dueBy(parts.jobs, 'updatedAt', { filter: { 'funding.stage': 'reserving' }, afterMs: abandonedMs }),
    run: async now => {
      const updatedAt = { $lte: new Date(now.getTime() - abandonedMs) }
      const found = await parts.jobs.find({ 'funding.stage': 'reserving', updatedAt }, { sort: { updatedAt: 1 }, limit: batch })
      await eachDue(parts.log, found, job => drawOnTreasury(parts, job))
    },
  },
  ...examination(parts, checks, operatorMatters),
]

/** A verdict whose event, and a step on the contract whose final log, is still on its way come before what time does without them. */
async function moveOn(parts: Parts, job: Stored<Job>): Promise<void> {
  const action = dueOf(job)?.action
  if (action === 'stall' || action === 'default') {
    const { validations } = await parts.peers.call('swarm', swarmApi.internal.listJobValidations, { params: { jobId: job.id } })
    const decided = validations.find(found => found.submissionId === job.delivery?.submissionId && isDecided(found))
    if (decided) await changeJob(parts, job.id, present => recordVerdict(present, decided.submissionId, verdictOf(decided)))
  }
  const misses = action === 'expire' || (action === 'retry' && job.settlement?.trigger === 'expire')
  if (misses && (await isFurtherOnChain(parts, job))) return
  const moment = await momentOf(parts, job)
  await changeJob(parts, job.id, present => onTime(present, moment))
}

/** What the contract has the record does not know yet: its log follows, and no deadline is missed. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
async function isFurtherOnChain(parts: Parts, job: Stored<Job>): Promise<boolean> {
  if (job.onChainJobId === null) return false
  const contract = await readContractJob(parts, job.chain, keyOf(job), await contractOf(parts, job))
  return contract !== null && isBeyond(contract, job)
}

const isDecided = ({ status }: ValidationRow): boolean => status === 'approved' || status === 'rejected' || status === 'expired'

const verdictOf = ({ validationId, status, weak, frozen, resolvedAt, settleAfter, expiresAt }: ValidationRow) => ({
  result: status as 'approved' | 'rejected' | 'expired',
  validationId,
  weak,
  frozen,
  at: new Date(resolvedAt ?? expiresAt),
  settleAfter: settleAfter === null ? null : new Date(settleAfter),
})
