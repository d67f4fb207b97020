import { swarmApi, type ValidationRow } from '@carapace/api'
import { dueBy, eachDue, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { onTime } from './advance.ts'
import { changeEscrowNow } from './change-escrow.ts'
import type { Escrow } from './escrow.ts'

const everyMs = 5_000
const batch = 100

/** Whether the swarm knows more than we do: then its event is on the way, and time must not decide before it. */
export function hasNewerVerdict({ verdict, appeal }: Escrow, validations: readonly ValidationRow[]): boolean {
  return validations.some(({ validationId, appealOf, status, nextValidationId }) => {
    // superseded by our own decision
    if (status === 'superseded') return false
    if (appealOf !== null) return appeal?.appealId !== validationId || (status !== 'pending' && appeal.outcome === null)
    return verdict === null && (status === 'approved' || status === 'rejected' || (status === 'expired' && nextValidationId === null))
  })
}

async function moveOn(parts: Parts, escrow: Stored<Escrow>): Promise<void> {
  if (escrow.delivery && !escrow.settlement) {
    const { validations } = await parts.peers.call('swarm', swarmApi.internal.listGigValidations, { params: { gigId: escrow.id } })
    if (hasNewerVerdict(escrow, validations)) return
  }
  await changeEscrowNow(parts, escrow.id, (present, moment) => onTime(present, { ...moment, timers: true }))
}

/** What time alone decides. */
export const escrowJobs = (parts: Parts): Job[] => [
  {
    name: 'escrows that are due',
    everyMs,
    due: dueBy(parts.escrows, 'dueAt'),
    run: async now => {
      const due = await parts.escrows.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch })
      await eachDue(parts.log, due, escrow => moveOn(parts, escrow))
    },
  },
]
