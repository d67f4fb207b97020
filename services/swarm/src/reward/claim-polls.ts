import { escrowApi } from '@carapace/api'
import { dueBy, eachDue, type Job, nextPollAt, pollAfterMs } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { closeClaim } from './claim.ts'
import type { Claim } from './reward.ts'

const everyMs = 5_000
const batch = 100

/** Claims under way rest on no message: the escrow, which pays them, is polled; at a start for all of them. */
export function claimPolls(parts: Parts): Job {
  let polled = new Map<string, Date>()
  return {
    name: 'claims under way',
    everyMs,
    due: dueBy(parts.rewards.claims, 'updatedAt', { filter: { status: 'claiming' }, afterMs: pollAfterMs }),
    run: async now => {
      const old = { $lte: new Date(now.getTime() - pollAfterMs) }
      const waiting = await parts.rewards.claims.find({ status: 'claiming', updatedAt: old }, { sort: { updatedAt: 1 } })
      const due = waiting.filter(({ id, updatedAt }) => nextPollAt(updatedAt, polled.get(id) ?? updatedAt) <= now).slice(0, batch)
      polled = new Map(waiting.flatMap(({ id }) => (polled.has(id) ? [[id, polled.get(id)!]] : [])))
      await eachDue(parts.log, due, async claim => {
        polled.set(claim.id, now)
        await poll(parts, claim)
      })
    },
  }
}

/** The request itself is sent again: an escrow that never got it pays the claim now. */
async function poll(parts: Parts, { id, round, validatorId, wallet, chain, amount, rewards }: Stored<Claim>): Promise<void> {
  const requested = rewards.map(part => ({ validationId: part.validationId, amount: String(part.amount) }))
  const body = { claimId: id, round, validatorId, wallet, chain, amount: String(amount), rewards: requested }
  const answer = await parts.peers.call('escrow', escrowApi.internal.payRewardClaim, { body })
  const ended = { claimId: id, round: answer.round, version: answer.version }
  if (answer.status === 'failed') await closeClaim(parts, { ...ended, is: 'failed' })
  if (answer.status === 'claimed' && answer.txHash !== null) {
    const paid = answer.rewards.map(part => ({ validationId: part.validationId, amount: BigInt(part.amount) }))
    await closeClaim(parts, { ...ended, is: 'paid', txHash: answer.txHash, rewards: paid })
  }
}
