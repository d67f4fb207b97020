import { type ErrorCode, type PayloadOf, Refusal, treasuryApi, x402Arrived } from '@carapace/api'
import { on, type Platform, type Subscription } from '../define.ts'
import { unlessPassing } from '../http/passing.ts'

type Parts = Pick<Platform, 'peers'>

const { holdX402, returnX402 } = treasuryApi.internal

/** Refusals that another try, or another moment, may change. */
const passing: readonly ErrorCode[] = ['CONFLICT', 'RATE_LIMITED']

const isFinal = (error: unknown): error is Refusal => error instanceof Refusal && error.status < 500 && !passing.includes(error.code)

/**
 * Sets an x402 payment aside for one round of the command that spends it. `pending`: it is not at the intake for good yet. `refused`: it never serves
 * this round.
 * @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export const holdAtIntake = async ({ peers }: Parts, id: string, command: { key: string; round: number }) =>
  (await peers.find('treasury', holdX402, { params: { id }, body: command })) ?? { status: 'refused' as const }

/** Has an x402 payment sent back to its payer. Where this is lost, its next announcement leads here again. */
export const returnFromIntake = ({ peers }: Parts, id: string, reason: string): Promise<unknown> =>
  unlessPassing(peers.find('treasury', returnX402, { params: { id }, body: { reason } }))

/**
 * Uses an x402 payment, or has it sent back where it is refused for good: what pays for nothing does not stay.
 * @param usedBefore what became of the payment by another request, which may have been faster
 * @throws what refused the use
 */
export async function useOrReturn<T>(parts: Parts, id: string, use: () => Promise<T>, usedBefore?: () => Promise<T | undefined>): Promise<T> {
  try {
    return await use()
  } catch (error) {
    if (!isFinal(error)) throw error
    const before = await usedBefore?.()
    if (before !== undefined) return before
    await returnFromIntake(parts, id, error.code.toLowerCase())
    throw new Refusal(error.code, { ...error.extras, retryable: false, message: `${error.message}. The payment goes back to its payer` })
  }
}

/** Uses what has arrived at the intake for a service, also where the request that it was paid for is over. A final refusal ends it. */
export const onArrival = (
  service: PayloadOf<typeof x402Arrived>['service'],
  use: (arrived: PayloadOf<typeof x402Arrived>) => Promise<unknown>,
): Subscription =>
  on(x402Arrived, async arrived => {
    if (arrived.service !== service) return
    await use(arrived).catch((error: unknown) => {
      if (!isFinal(error)) throw error
    })
  })
