import { Refusal } from '@carapace/api'
import { type Decision, type Stored, transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from '../parts.ts'
import { post } from '../post.ts'
import { advance, type Moment } from './act.ts'
import { type Escrow, firstContact, type GigTerms } from './escrow.ts'
import { postings } from './postings.ts'

class MovesMoney extends Error {}

type Decide = (escrow: Stored<Escrow>) => Decision<Escrow> | undefined

/** Makes the one document of a gig if this is the first that is heard of it. */
export async function ensureEscrow({ escrows, newId }: Parts, terms: GigTerms): Promise<Stored<Escrow>> {
  const known = await escrows.get(terms.gigId)
  if (known) return known
  try {
    return await escrows.create(firstContact(terms, newId()), [])
  } catch (error) {
    if (error instanceof Refusal && error.code === 'ALREADY_EXISTS') return escrows.need(terms.gigId)
    throw error
  }
}

/**
 * The only way in which an escrow changes. A change that moves money posts its ledger lines and the total locked in the same transaction.
 * @throws TVL_CAP_REACHED, CONFLICT, and whatever `decide` refuses
 */
export function changeEscrow(parts: Parts, gigId: string, decide: Decide, cause?: string): Promise<Stored<Escrow>> {
  return parts.queue.serialize(`escrow:${gigId}`, () => changeAlone(parts, gigId, decide, cause))
}

async function changeAlone(parts: Parts, gigId: string, decide: Decide, cause?: string): Promise<Stored<Escrow>> {
  const options = cause === undefined ? {} : { cause }
  try {
    return await parts.escrows.change(
      gigId,
      present => {
        const decision = decide(present)
        if (decision && postings(present, decision.state).length > 0) throw new MovesMoney()
        return decision
      },
      options,
    )
  } catch (error) {
    if (!(error instanceof MovesMoney)) throw error
  }
  const work = async (session: ClientSession) => {
    let before: Escrow | undefined
    const after = await parts.escrows.change(
      gigId,
      present => {
        before = present
        return decide(present)
      },
      { ...options, session },
    )
    if (before) await post(parts, after.chain, postings(before, after), session)
    return after
  }
  // they all write the one row of the total locked
  return parts.queue.serialize('tvl', () => transact(parts, work))
}

/** Writes what follows from an escrow, and writes it anew if the escrow has changed meanwhile: what is told of it may come in any order. */
export async function keepInLine(parts: Parts, gigId: string, write: (escrow: Stored<Escrow>) => Promise<void>): Promise<void> {
  for (;;) {
    const escrow = await parts.escrows.need(gigId)
    await write(escrow)
    if ((await parts.escrows.need(gigId)).version === escrow.version) return
  }
}

/** The time, and where half of a payout would go. `assigneeId` when the change itself brings it. */
export async function momentOf(parts: Parts, gigId: string, assigneeId?: string): Promise<Moment> {
  const assignee = assigneeId ?? (await parts.escrows.get(gigId))?.assignment?.assigneeId
  return { now: parts.clock.now(), timers: false, splitTo: assignee ? ((await parts.custodial.of(assignee)) ?? null) : null }
}

/** Notes a fact and does what then follows. A fact that changes nothing is not written. */
export async function learn(
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
