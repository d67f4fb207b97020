import type { GigRow } from '@carapace/api'
import type { Parts } from '../parts.ts'
import type { Assignment } from './escrow.ts'

/** The assignment as the marketplace's own row has it; undefined while there is none. @throws DEPENDENCY_UNAVAILABLE */
export async function assignmentOf({ agents }: Parts, gig: GigRow): Promise<Assignment | undefined> {
  if (gig.assigneeId === null || gig.feeBp === null) return undefined
  const { wallet } = await agents.need(gig.assigneeId)
  if (wallet === null) return undefined
  return { assigneeId: gig.assigneeId, wallet, crewId: gig.crewId, feeBp: gig.feeBp, deadlineAt: new Date(gig.deadlineAt!) }
}
