import type { ValidationRow } from '@carapace/api'
import type { Appeal, Escrow } from './escrow.ts'
import { openAppeal } from './verdict-events.ts'

/** An appeal that was filed at the last moment is stored, and can be read, so long after it. */
const lastAppealMs = 30_000

/** Whether an appeal against its frozen rejection may just have been filed in time. */
export function mayBeAppealed({ verdict, appeal }: Escrow, now: Date): boolean {
  if (appeal || !verdict?.frozen || !verdict.appealUntil) return false
  return now.getTime() < verdict.appealUntil.getTime() + lastAppealMs
}

/** Whether the swarm knows more than we do: then its event is on the way, and time must not decide before it. */
export function hasNewerVerdict({ verdict, appeal }: Escrow, validations: readonly ValidationRow[]): boolean {
  return validations.some(({ validationId, appealOf, appealId, status, nextValidationId }) => {
    // superseded by our own decision
    if (status === 'superseded') return false
    if (appealOf !== null) return appeal?.appealId !== validationId || (status !== 'pending' && appeal.outcome === null)
    if (appealId !== undefined && appeal?.appealId !== appealId) return true
    return verdict === null && (status === 'approved' || status === 'rejected' || (status === 'expired' && nextValidationId === null))
  })
}

/** An appeal that only the swarm knows so far; without a validation of its own it found no panel. Undefined where there is none. */
export function unknownAppeal({ appeal }: Escrow, validations: readonly ValidationRow[], now: Date): Appeal | undefined {
  if (appeal) return undefined
  const against = validations.find(({ appealId, appealExpiresAt }) => appealId !== undefined && appealExpiresAt !== undefined)
  if (!against) return undefined
  const { appealId, appealExpiresAt } = against
  const oracleAssisted = validations.every(({ validationId }) => validationId !== appealId)
  return { ...openAppeal(appealId!, now, new Date(appealExpiresAt!)), oracleAssisted }
}
