import { gigAssigned } from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { changeBond, lockOf } from './change-bond.ts'
import { confirmAssignment } from './confirm-assignment.ts'

/** An assignment confirms that a lock is needed. */
export const bondEvents = (parts: Parts): Subscription[] => [
  on(gigAssigned, async ({ gigId, assigneeId, bondRequired }) => {
    if (bondRequired > 0n && (await lockOf(parts, assigneeId, gigId))) await changeBond(parts, assigneeId, bond => confirmAssignment(bond, gigId))
  }),
]
