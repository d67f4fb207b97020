import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { recordFact } from './change-escrow.ts'
import type { Escrow, GigTerms, Verdict } from './escrow.ts'
import { knowsGig, readGig } from './gig-row.ts'

type Validation = { gigId: string; title: string; posterId: string; budget: bigint; chain: api.Chain }
export const ofValidation = ({ gigId, title, posterId, budget, chain }: Validation): GigTerms => ({
  gigId,
  gigTitle: title,
  posterId,
  amount: budget,
  chain,
})

export const openAppeal = (appealId: string, filedAt: Date, expiresAt: Date): NonNullable<Escrow['appeal']> => ({
  appealId,
  filedAt,
  expiresAt,
  oracleAssisted: false,
  outcome: null,
  applySlash: false,
  weak: false,
  approvalPct: 0,
  votes: 0,
})

const date = (text: string | null): Date | null => (text === null ? null : new Date(text))

/** Of a gig, not of a commerce job, and no appeal. */
type OfGig<P extends { gigId: string | null; appealOf: string | null }> = P & { gigId: string; appealOf: null }
const isOfGig = <P extends { gigId: string | null; appealOf: string | null }>(validation: P): validation is OfGig<P> =>
  validation.gigId !== null && validation.appealOf === null

/** Who is paid or has failed is known by the verdict: where the messages of it are not here yet, the gig is read first. */
async function recordVerdict(parts: Parts, validation: Validation, verdict: Verdict): Promise<void> {
  const escrow = await parts.escrows.get(validation.gigId)
  if (!escrow || !knowsGig(escrow)) await readGig(parts, validation.gigId)
  await recordFact(parts, ofValidation(validation), present => (present.verdict ? undefined : { verdict }))
}

async function recordResolved(parts: Parts, validation: api.PayloadOf<typeof api.validationResolved>): Promise<void> {
  if (!isOfGig(validation)) return
  const { verdict: result, validationId, weak, frozen, disputeReason, settleAfter, appealUntil, approvalPct, votes, resolvedAt } = validation
  await recordVerdict(parts, validation, {
    result,
    validationId,
    weak,
    frozen,
    note: disputeReason,
    settleAfter: date(settleAfter),
    appealUntil: date(appealUntil),
    approvalPct,
    votes: votes.length,
    at: new Date(resolvedAt),
  })
}

async function recordExpired(parts: Parts, validation: api.PayloadOf<typeof api.validationExpired>): Promise<void> {
  if (!isOfGig(validation) || !validation.final) return
  const { validationId, weak, approvalPct, votes, approvals, rejections, thresholdRaised, expiredAt } = validation
  await recordVerdict(parts, validation, {
    result: 'expired',
    byVotes: thresholdRaised ? (approvals > rejections ? 'release' : 'refund') : null,
    validationId,
    weak,
    frozen: false,
    note: null,
    settleAfter: null,
    appealUntil: null,
    approvalPct,
    votes: votes.length,
    at: new Date(expiredAt),
  })
}

async function recordAppealClosed(parts: Parts, closed: api.PayloadOf<typeof api.appealClosed>): Promise<void> {
  const { gigId, appealId, outcome, applySlash, weak, approvalPct, approvals, rejections, closedAt } = closed
  if (gigId === null) return
  await recordFact(parts, ofValidation({ ...closed, gigId }), escrow => {
    if (escrow.appeal?.outcome) return undefined
    const filed = escrow.appeal ?? openAppeal(appealId, new Date(closedAt), new Date(closedAt))
    return { appeal: { ...filed, outcome, applySlash, weak, approvalPct, votes: approvals + rejections } }
  })
}

/** How panels have ended. */
export const verdictEvents = (parts: Parts): Subscription[] => [
  on(api.validationResolved, validation => recordResolved(parts, validation)),
  on(api.validationExpired, validation => recordExpired(parts, validation)),
  on(api.appealClosed, closed => recordAppealClosed(parts, closed)),
]

/** The same, reported by the swarm. */
export async function noteVerdict(parts: Parts, { type, data }: { type: string; data: Record<string, unknown> }): Promise<void> {
  if (type === api.validationResolved.type) await recordResolved(parts, api.validationResolved.read(data))
  if (type === api.validationExpired.type) await recordExpired(parts, api.validationExpired.read(data))
  if (type === api.appealClosed.type) await recordAppealClosed(parts, api.appealClosed.read(data))
}
