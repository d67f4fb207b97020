import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { bondFact, lockEndFact, slashFact } from '../facts.ts'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'

/** What the escrow publishes of bonds, and of the slashes of them. */
export function bondEvents(parts: Parts): Subscription[] {
  type Bond = { agentId: string; totalBonded: bigint; changedAt: string; txHash: string | null }
  const recordBond =
    (change: 'deposited' | 'withdrawn' | 'slashed' | 'reversed') =>
    ({ agentId, totalBonded, changedAt, txHash }: Bond, event: api.CloudEvent) =>
      record(parts, event, agentId, bondFact(change, { totalBonded }), { at: changedAt, txHash })
  return [
    on(api.bondDeposited, recordBond('deposited')),
    on(api.bondWithdrawn, recordBond('withdrawn')),
    on(api.bondSlashed, recordBond('slashed')),
    on(api.slashReversed, recordBond('reversed')),
    on(api.bondUnlocked, ({ agentId, gigId, clean, changedAt }, event) =>
      record(parts, event, agentId, lockEndFact({ gigId, clean }), { at: changedAt }),
    ),
    on(api.slashRecorded, async ({ slashId, agentId, status, amount, changedAt, createdAt, txHash, ...row }, event) => {
      const key = `${slashId}:${status}`
      await record(parts, event, agentId, slashFact({ slashId, status, amount, validationId: row.validationId }), { at: changedAt, txHash, key })
      // as they were at the first delivery: at another one the fact counts already
      const shown = status === 'APPLIED' ? await parts.audit.scoresOf({ eventId: event.id, agentId, key }) : {}
      await parts.slashes.apply(
        slashId,
        {
          agentId,
          gigId: row.gigId,
          gigTitle: row.gigTitle,
          gigBudget: row.gigBudget,
          validationId: row.validationId,
          amount,
          status,
          reason: row.reason,
          txHash,
          createdAt: new Date(createdAt),
          ...shown,
        },
        event,
      )
    }),
  ]
}
