import type { Decision, Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { advance, type Moment } from './advance.ts'
import { type Escrow, type GigTerms, newEscrow } from './escrow.ts'

type Decide = (escrow: Stored<Escrow>) => Decision<Escrow> | undefined

/** Makes the one document of a gig if this is the first fact about it. */
export async function ensureEscrow({ escrows, newId }: Parts, terms: GigTerms): Promise<Stored<Escrow>> {
  const known = await escrows.get(terms.gigId)
  return known ?? escrows.createOnce(terms.gigId, () => ({ state: newEscrow(terms, newId()), events: [] }))
}

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

/** The time, and where half of a payout would go. `assigneeId` when the change itself assigns it. */
export async function momentOf(parts: Parts, gigId: string, assigneeId?: string): Promise<Moment> {
  const assignee = assigneeId ?? (await parts.escrows.get(gigId))?.assignment?.assigneeId
  return { now: parts.clock.now(), timers: false, splitTo: assignee ? ((await parts.custodial.of(assignee)) ?? null) : null }
}

/** Records a fact and does what then follows. A fact that changes nothing is not written. */
export async function recordFact(
  parts: Parts,
  terms: GigTerms,
  record: (escrow: Escrow) => Partial<Escrow> | undefined,
  cause?: string,
  assigneeId?: string,
): Promise<Stored<Escrow>> {
  await ensureEscrow(parts, terms)
  const moment = await momentOf(parts, terms.gigId, assigneeId)
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
