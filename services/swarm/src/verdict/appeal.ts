import * as api from '@carapace/api'
import { type Draft, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type Appeal, approvalPct, approvals, facts, rejections, type Validation } from '../validation/validation.ts'

/** @throws NOT_ASSIGNEE, INVALID_STATE, WINDOW_CLOSED, ALREADY_EXISTS */
export function needAppealable(v: Validation, caller: string, now: Date): void {
  if (v.assigneeId !== caller) refuse('NOT_ASSIGNEE')
  if (v.gigId === null)
    refuse('INVALID_STATE', { state: v.status, allowed: [] }, { message: 'A commerce job has no appeal: the oracle decides its dispute' })
  if (v.status !== 'rejected' || !v.frozen)
    refuse(
      'INVALID_STATE',
      { state: v.status, allowed: ['rejected and frozen'] },
      { message: 'Only a frozen rejection can be appealed', ...(v.status === 'pending' ? { retryable: true } : {}) },
    )
  if (v.appealId !== null) refuse('ALREADY_EXISTS', { appealId: v.appealId })
  if (v.appealUntil! < now) refuse('WINDOW_CLOSED', { appealUntil: v.appealUntil!.toISOString() })
}

/** The assignee appeals. @throws NOT_ASSIGNEE, INVALID_STATE, WINDOW_CLOSED, ALREADY_EXISTS */
export function fileAppeal(
  v: Validation,
  caller: string,
  filed: { id: string; appeal: Appeal; oracleAssisted: boolean; expiresAt: Date },
): Decision<Validation> {
  const { id: appealId, appeal, oracleAssisted, expiresAt } = filed
  needAppealable(v, caller, appeal.filedAt)
  return {
    state: { ...v, appealId, appeal, appealExpiresAt: expiresAt },
    events: [api.appealFiled.of({ ...facts(v), appealId, oracleAssisted, expiresAt: expiresAt.toISOString() })],
  }
}

/** The slash is applied only when the appeal is rejected and no signal fires again (behaviour 5.3). */
export function appealEvent(v: Validation): Draft {
  const outcome = v.status === 'approved' ? 'won' : v.status === 'rejected' ? 'lost' : 'expired'
  return api.appealClosed.of({
    ...facts(v),
    validationId: v.appealOf!,
    appealOf: v.appealOf,
    appealId: v.id,
    outcome,
    applySlash: outcome === 'lost' && v.signals.length === 0 && !v.firstWeak,
    approvals: approvals(v),
    rejections: rejections(v),
    approvalPct: approvalPct(v),
    weak: v.weak,
    closedAt: v.resolvedAt!.toISOString(),
  })
}
