import type { ExplainClearing } from '@carapace/service'
import type { Parts } from './parts.ts'

/** Reservations and payments by x402 whose command is under way. */
export const explainClearing: ExplainClearing<Pick<Parts, 'reservations' | 'x402'>> = async ({ reservations, x402 }, chain, keys) => {
  const [held, paid] = await Promise.all([
    reservations.find({ chain, key: { $in: [...keys] }, status: 'held' }),
    x402.find({ chain, 'fund.hold.key': { $in: [...keys] }, state: { $in: ['held', 'returning'] } }),
  ])
  return new Map([
    ...held.map(({ key, round }) => [key, `round ${round} of ${key} holds money`] as const),
    ...paid.map(({ id, state, fund }) => [fund!.hold!.key, `the payment ${id} is ${state}`] as const),
  ])
}
