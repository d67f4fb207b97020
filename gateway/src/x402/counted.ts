import { Refusal } from '@carapace/api'
import type { Metrics } from '@carapace/service'
import { PaymentRefusal } from './challenge.ts'
import type { Sell } from './step.ts'

/** Counts what becomes of calls that have a price. */
export function counted(sell: Sell | undefined, metrics: Pick<Metrics, 'count'>): Sell | undefined {
  if (!sell) return undefined
  return async (...call) => {
    try {
      const sale = await sell(...call)
      metrics.count('x402.calls', { outcome: sale.answered ? 'repeated' : 'paid' })
      return sale
    } catch (error) {
      metrics.count('x402.calls', { outcome: outcomeOf(error) })
      throw error
    }
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof PaymentRefusal) return 'challenged'
  return error instanceof Refusal && error.code === 'REPLAY_DETECTED' ? 'replayed' : 'failed'
}
