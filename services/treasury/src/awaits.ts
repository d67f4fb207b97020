import { operationKey } from '@carapace/chain'
import type { Awaiting } from '@carapace/service'
import type { Parts } from './parts.ts'
import { isHoldOpen } from './x402/payment.store.ts'

/** Held reservations end with the outcome of their command; that of a payment that waits in the queue has none yet. */
export async function awaits({ reservations, payments, x402 }: Parts): Promise<Awaiting[]> {
  const open = [
    { state: 'claimed' },
    { state: 'held' },
    // its command may spend other money of the intake
    { 'fund.hold.key': { $type: 'string' }, ...isHoldOpen, state: 'failed' },
    { state: 'returning' },
  ]
  const [held, queued, found] = await Promise.all([reservations.find({ status: 'held' }), payments.find({ status: 'pending' }), x402.findAny(open)])
  const inState = (...states: readonly string[]) => found.filter(({ state }) => states.includes(state))
  const [claimed, returning] = [inState('claimed'), inState('returning')]
  const waiting = new Set(queued.map(({ id }) => id))
  const settlements = claimed.map(({ id, onChain: { round }, updatedAt }) => ({
    record: `x402 payment ${id}`,
    opKey: operationKey('treasury.settle-x402', id),
    round,
    since: updatedAt,
  }))
  const uses = inState('held', 'failed').flatMap(({ id, fund, updatedAt }) =>
    fund?.hold?.onChain.status === 'pending'
      ? [{ record: `x402 payment ${id}`, opKey: fund.hold.key, round: fund.hold.onChain.round, since: updatedAt }]
      : [],
  )
  const returns = returning.flatMap(({ id, fund, updatedAt }) =>
    fund?.giveBack?.onChain.status === 'pending'
      ? [{ record: `return of x402 payment ${id}`, opKey: operationKey('treasury.pay', id), round: fund.giveBack.onChain.round, since: updatedAt }]
      : [],
  )
  const reserved = held
    .filter(({ id }) => !waiting.has(id))
    .map(({ id, key, round, updatedAt }) => ({ record: `reservation ${id}`, opKey: key, round, since: updatedAt }))
  return [...reserved, ...settlements, ...uses, ...returns]
}
