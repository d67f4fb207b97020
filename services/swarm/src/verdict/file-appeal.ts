import { transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Parts } from '../parts.ts'
import { supersedeIfKnown } from '../validation/decided.ts'
import { drawAppeal, needGigIn } from '../validation/open.ts'
import { type Appeal, open, windowMs } from '../validation/validation.ts'
import { fileAppeal, needAppealable } from './appeal.ts'

interface Request extends Pick<Appeal, 'statement' | 'deliverableUrl'> {
  /** Of the appeal, and of the validation that judges it: the same when the request is repeated. */
  id: string
  validationId: string
  caller: string
}

/** The answer to its assignee. */
interface Filed {
  status: string
  expiresAt: Date
}

/** Files an appeal, with a fresh panel or for the oracle. A repeated request finds it filed. */
export async function appealTo(parts: Parts, request: Request): Promise<Filed> {
  const { validations } = parts
  const { id, validationId, caller } = request
  const now = parts.clock.now()
  const first = await validations.need(validationId)
  if (first.appealId === id) return { status: (await validations.get(id))?.status ?? 'pending', expiresAt: first.appealExpiresAt ?? now }
  needAppealable(first, caller, now)
  const gig = await needGigIn(parts, first.gigId!, ['pending_validation', 'disputed'])
  const panelFor = await drawAppeal(parts, first, gig)
  const file = async (session: ClientSession) => {
    // judged by the time of this write: what came before it may have lasted until the window was over
    const { statement, deliverableUrl } = request
    const appeal = { statement, deliverableUrl, filedAt: parts.clock.now() }
    const expiresAt = new Date(appeal.filedAt.getTime() + windowMs)
    const fresh = panelFor?.(id, appeal)
    // one write: a filed appeal whose panel is missing would never be closed
    const filed = { id, appeal, oracleAssisted: fresh === undefined, expiresAt }
    await validations.change(first.id, present => fileAppeal(present, caller, filed), { session })
    if (fresh) await validations.create(fresh, open(fresh).events, { session })
    return { fresh, expiresAt }
  }
  const { fresh, expiresAt } = await parts.queue.serialize(first.id, () => transact(parts, file))
  if (fresh) await supersedeIfKnown(parts, fresh)
  return { status: 'pending', expiresAt }
}
