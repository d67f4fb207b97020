import * as api from '@carapace/api'
import { operationParts } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import { transact } from '@carapace/store'
import { keepInLine } from '../escrow/keep.ts'
import { account, transfer } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { followClaim, startClaim } from './claims.ts'
import { fundWhenReady } from './fund.ts'
import type { Source } from './reward.ts'
import { sourceOf } from './source.ts'

const jobFeeBp = 300
const idOf = (opKey: string): string => operationParts(opKey)[1]

export const rewardEvents = (parts: Parts): Subscription[] => {
  const ended = async (source: Omit<Source, 'used'>) => {
    await parts.rewardSources.put(source)
    for (const { id } of await parts.rewards.ofSubject(source.id)) await fundWhenReady(parts, id)
  }
  const settled = ({ gigId }: { gigId: string }) =>
    keepInLine(parts, gigId, async escrow => {
      const source = sourceOf(escrow)
      if (source) await ended(source)
    })
  return [
    on(api.rewardAccrued, async ({ validationId, gigId, jobId, title, posterId, chain, rewards }) => {
      const shares = rewards.map(({ validatorId, amount }) => ({ validatorId, accrued: amount, funded: 0n, claiming: 0n, claimed: 0n }))
      const fundedBy = { fee: 0n, refund: 0n, topUp: 0n }
      const reward = { id: validationId, gigId, jobId, title, posterId, chain, shares, isFunded: false, fundedBy, fundedAt: null, topUps: [] }
      await parts.rewards.create(reward, []).catch((error: unknown) => {
        if (!(error instanceof api.Refusal && error.code === 'ALREADY_EXISTS')) throw error
      })
      await fundWhenReady(parts, validationId)
    }),
    on(api.escrowReleased, settled),
    on(api.escrowRefunded, settled),
    on(api.escrowRestated, settled),
    on(api.jobSettled, async ({ jobId: id, posterId, chain, fee, txHash, at }) => {
      // the commerce contract pays its fee into the same pool
      const entry = {
        key: `job-fee:${id}`,
        chain,
        ref: { type: 'job', id },
        txHash,
        lines: transfer(account.clearing(`job.settle:${id}`), account.feePool, fee),
      }
      if (fee > 0n) await transact(parts, session => parts.ledger.post(entry, session))
      await ended({ id, posterId, chain, kind: 'fee', fee, endedAt: new Date(at) })
    }),
    on(api.jobRejected, ({ jobId: id, posterId, chain, budget, at }) =>
      ended({ id, posterId, chain, kind: 'refund', fee: api.feeOf(budget, jobFeeBp), endedAt: new Date(at) }),
    ),
    on(api.rewardClaimRequested, request => startClaim(parts, request)),
    on(api.chainCommandConfirmed, async ({ kind, opKey, round, seq, txHash }) =>
      kind === 'reward.pay' ? followClaim(parts, idOf(opKey), { is: 'confirmed', round, seq, txHash }) : undefined,
    ),
    on(api.chainCommandFailed, async ({ kind, opKey, round, seq, terminal, code }) =>
      kind === 'reward.pay' && terminal ? followClaim(parts, idOf(opKey), { is: 'failed', round, seq, code }) : undefined,
    ),
  ]
}
