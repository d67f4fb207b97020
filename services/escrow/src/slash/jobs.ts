import { marketplaceApi } from '@carapace/api'
import { dueBy, eachDue, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Bond } from '../bond/bond.ts'
import { changeBond } from '../bond/change-bond.ts'
import { confirmAssignment, queryAssignment, unassignedGigs } from '../bond/confirm-assignment.ts'
import { endLock, onTime } from '../bond/requests/end-lock.ts'
import type { Parts } from '../parts.ts'
import { closeBondLock } from './close-bond-lock.ts'

const everyMs = 5_000
const batch = 100

/**
 * A lock without an assignment: the marketplace says whether it is used, and if not abandons it for good, so that it can be released. Where this process
 * ends in between, all of it is repeated.
 */
async function settleAssignment(parts: Parts, agentId: string, gigId: string): Promise<void> {
  await changeBond(parts, agentId, bond => queryAssignment(bond, gigId))
  const { assigned } = await parts.peers.call('marketplace', marketplaceApi.internal.settleAcceptance, { params: { id: gigId, agentId } })
  if (!assigned) await changeBond(parts, agentId, bond => endLock(bond, gigId, parts.newId()))
  else {
    await changeBond(parts, agentId, bond => confirmAssignment(bond, gigId))
    await closeBondLock(parts, gigId)
  }
}

async function moveOn(parts: Parts, bond: Stored<Bond>, now: Date): Promise<void> {
  // first what needs nobody: the marketplace may be away
  await changeBond(parts, bond.id, present => onTime(present, now, parts.newId))
  const unassigned = unassignedGigs(bond, now).map(id => ({ id }))
  await eachDue(parts.log, unassigned, ({ id }) => settleAssignment(parts, bond.id, id))
}

/** The end of a bond lock may be a slash of it. */
export const slashJobs = (parts: Parts): Job[] => [
  {
    name: 'bond locks that are due',
    everyMs,
    due: dueBy(parts.bonds, 'dueAt'),
    run: async now => {
      const due = await parts.bonds.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch })
      await eachDue(parts.log, due, bond => moveOn(parts, bond, now))
    },
  },
]
