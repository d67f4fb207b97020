import type { Decision, Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { advance, type Moment, SplitUnread } from './advance.ts'
import { type Escrow, type GigTerms, newEscrow } from './escrow.ts'

type Decide = (escrow: Stored<Escrow>) => Decision<Escrow> | undefined

/** Makes the one document of a gig if this is the first fact about it. It mostly is not: a read costs less than a write that is refused. */
export const ensureEscrow = async (parts: Parts, terms: GigTerms): Promise<Stored<Escrow>> =>
  (await parts.escrows.get(terms.gigId)) ?? createEscrow(parts, terms)

/** As `ensureEscrow`, for the fact that mostly comes first. */
export const createEscrow = ({ escrows, newId }: Parts, terms: GigTerms): Promise<Stored<Escrow>> =>
  escrows.createOnce(terms.gigId, () => ({ state: newEscrow(terms, newId()), events: [] }))

/**
 * The only way in which an escrow changes; its store books what moves money. Changes of one escrow run one after another.
 * @throws TVL_CAP_REACHED, CONFLICT, and what `decide` refuses
 */
export const changeEscrow = (parts: Parts, gigId: string, decide: Decide, cause?: string): Promise<Stored<Escrow>> =>
  parts.queue.serialize(`escrow:${gigId}`, () => parts.escrows.change(gigId, decide, cause === undefined ? {} : { cause }))

/** Writes what follows from an escrow, and again if the escrow has changed meanwhile: its events may arrive in any order. */
export async function projectEscrow(parts: Parts, gigId: string, write: (escrow: Stored<Escrow>) => Promise<void>): Promise<void> {
  for (;;) {
    const escrow = await parts.escrows.need(gigId)
    await write(escrow)
    if ((await parts.escrows.need(gigId)).version === escrow.version) return
  }
}

/** As `changeEscrow`, at the present moment. Where half of a payout would go is read once there is one. */
export async function changeEscrowNow(
  parts: Parts,
  gigId: string,
  decide: (escrow: Stored<Escrow>, moment: Moment) => Decision<Escrow> | undefined,
  cause?: string,
): Promise<Stored<Escrow>> {
  const changeAt = (moment: Moment) => changeEscrow(parts, gigId, escrow => decide(escrow, moment), cause)
  const moment: Moment = { now: parts.clock.now(), timers: false }
  try {
    return await changeAt(moment)
  } catch (error) {
    if (!(error instanceof SplitUnread)) throw error
    return changeAt({ ...moment, splitTo: (await parts.custodial.of(error.assigneeId)) ?? null })
  }
}

/** Records a fact and does what then follows. A fact that changes nothing is not written. */
export async function recordFact(parts: Parts, terms: GigTerms, record: (escrow: Escrow) => Partial<Escrow> | undefined): Promise<Stored<Escrow>> {
  const escrow = await ensureEscrow(parts, terms)
  // what is recorded stays recorded
  if (record(escrow) === undefined) return escrow
  return changeEscrowNow(parts, terms.gigId, (present, moment) => {
    const fact = record(present)
    return fact && advance({ ...present, ...fact }, moment)
  })
}
