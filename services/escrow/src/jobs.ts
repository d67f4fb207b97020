import { examination, type Job } from '@carapace/service'
import { bondJobs } from './bond/requests/jobs.ts'
import { escrowJobs } from './escrow/jobs.ts'
import { lockJobs } from './escrow/lock/jobs.ts'
import { checks } from './invariants.ts'
import type { Parts } from './parts.ts'
import { topUpPolls } from './reward/top-up-polls.ts'
import { bondLockWalk } from './slash/bond-lock-walk.ts'
import { slashJobs } from './slash/jobs.ts'

const operatorMatters = new Set(['stuck', 'debts'])

export const jobs = (parts: Parts): Job[] => [
  ...escrowJobs(parts),
  ...lockJobs(parts),
  ...bondJobs(parts),
  ...slashJobs(parts),
  bondLockWalk(parts),
  topUpPolls(parts),
  ...examination(parts, checks, operatorMatters),
]
