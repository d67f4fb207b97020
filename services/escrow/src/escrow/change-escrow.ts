import type { Decision, Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { advance, type Moment } from './advance.ts'
import { type Escrow, type GigTerms, newEscrow } from './escrow.ts'

type Decide = (escrow: Stored<Escrow>) => Decision<Escrow> | undefined

/** Makes the one document of a gig if this is the first fact about it. */
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

/** The time, and where half of a payout would go. */
export const momentOf = async (parts: Parts, gigId: string): Promise<Moment> =>
  momentWith(parts, (await parts.escrows.get(gigId))?.assignment?.assigneeId)

const momentWith = async (parts: Parts, assigneeId: string | undefined): Promise<Moment> => ({
  now: parts.clock.now(),
  timers: false,
  splitTo: assigneeId ? ((await parts.custodial.of(assigneeId)) ?? null) : null,
})

/** Records a fact and does what then follows. A fact that changes nothing is not written. `assigneeId` when the fact itself assigns it. */
export async function recordFact(
  parts: Parts,
  terms: GigTerms,
  record: (escrow: Escrow) => Partial<Escrow> | undefined,
  cause?: string,
  assigneeId?: string,
): Promise<Stored<Escrow>> {
  const escrow = await ensureEscrow(parts, terms)
  // what is recorded stays recorded
  if (record(escrow) === undefined) return escrow
  const moment = await momentWith(parts, assigneeId ?? escrow.assignment?.assigneeId)
  return changeEscrow(
    parts,
    terms.gigId,
    present => {
      const fact = record(present)
      return fact && advance({ ...present, ...fact }, moment)
    },
    cause,
  )
}
