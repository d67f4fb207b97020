import { swarmApi } from '@carapace/api'
import { dueBy, eachDue, endlessWalk, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { onTime } from './advance.ts'
import { changeEscrowNow, recordFact } from './change-escrow.ts'
import type { Escrow } from './escrow.ts'
import { knowsGig, readGig } from './gig-row.ts'
import { hasNewerVerdict, mayBeAppealed, unknownAppeal } from './newer-verdict.ts'

const everyMs = 5_000
const batch = 100
const walkEveryMs = 60_000
/** Escrows a minute whose gigs are read. */
const walked = 20

/** Whether something is on its way, or about to be, that time must not decide before. What is read on the way is recorded. */
async function mustWait(parts: Parts, escrow: Stored<Escrow>, now: Date): Promise<boolean> {
  if (escrow.settlement) return false
  if (mayBeAppealed(escrow, now)) return true
  const current = knowsGig(escrow) ? escrow : ((await readGig(parts, escrow.id)) ?? escrow)
  if (!current.delivery || current.settlement) return false
  const { validations } = await parts.peers.call('swarm', swarmApi.internal.listGigValidations, { params: { gigId: current.id } })
  const appeal = unknownAppeal(current, validations, now)
  if (appeal) await recordFact(parts, { ...current, gigId: current.id }, present => (present.appeal ? undefined : { appeal }))
  return hasNewerVerdict(current, validations)
}

async function moveOn(parts: Parts, escrow: Stored<Escrow>, now: Date): Promise<void> {
  if (await mustWait(parts, escrow, now)) return
  await changeEscrowNow(parts, escrow.id, (present, moment) => onTime(present, { ...moment, timers: true }))
}

/** What time alone decides, and a walk round the locked escrows that know of no delivery: what a lost event would have reported is read from the gig. */
export function escrowJobs(parts: Parts): Job[] {
  const { escrows, clock, log } = parts
  const nextUndelivered = endlessWalk(escrows, walked, { filter: { status: 'locked', delivery: null }, now: () => clock.now().getTime() })
  return [
    {
      name: 'escrows that are due',
      everyMs,
      due: dueBy(escrows, 'dueAt'),
      run: async now => {
        const due = await escrows.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch })
        await eachDue(log, due, escrow => moveOn(parts, escrow, now))
      },
    },
    {
      name: 'gigs of locked escrows',
      everyMs: walkEveryMs,
      run: async () => eachDue(log, await nextUndelivered(), ({ id }) => readGig(parts, id)),
    },
  ]
}
