import { Refusal } from '@carapace/api'
import type { Metrics } from '@carapace/service'
import { PaymentRefusal } from './challenge.ts'
import type { Sell } from './step.ts'

/** Counts what becomes of calls that have a price. */
export function counted(sell: Sell | undefined, metrics: Pick<Metrics, 'counter'>): Sell | undefined {
  if (!sell) return undefined
  const calls = metrics.counter(
    'x402_calls_total',
    'Calls with a price: challenged, paid, repeated (served before), replayed (nonce used) or failed',
    ['outcome'],
  )
  return async (...call) => {
    try {
      const sale = await sell(...call)
      calls.inc({ outcome: sale.answered ? 'repeated' : 'paid' })
      return sale
    } catch (error) {
      calls.inc({ outcome: outcomeOf(error) })
      throw error
    }
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof PaymentRefusal) return 'challenged'
  return error instanceof Refusal && error.code === 'REPLAY_DETECTED' ? 'replayed' : 'failed'
}
