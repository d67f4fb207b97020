import type { CounterpartyChange } from '../facts.ts'
import { isMature, type Vouching } from './credits.ts'
import { type Decimal, millionths, toMillionths } from './decimal.ts'
import { repOf, sumsOf } from './pairs.ts'
import { advance, type State } from './state.ts'
import type { Tuning } from './tuning.ts'

/**
 * What an agent's log does not say yet of those it has dealt with in 365 days: a payer whose word counts for more or less than the log says, a worker whose
 * credit is more or less by now. In the time of these counterparties. None while the market is young.
 * @param numbersOf what is known of a counterparty at this moment; undefined where nothing is
 */
export function changesIn(state: State, now: Date, numbersOf: (agentId: string) => Vouching | undefined, tuning: Tuning): CounterpartyChange[] {
  const step = millionths(tuning.changeStep ?? 0)
  const hasChanged = (from: Decimal, to: Decimal) => to - from >= step || from - to >= step
  const changes: CounterpartyChange[] = []
  for (const counterparty of counterpartiesIn(state, now, tuning)) {
    const [sums, numbers] = [sumsOf(state.pairs.get(counterparty)!, now.getTime(), tuning), numbersOf(counterparty)]
    if (!sums || !numbers) continue
    const { standing, credit } = numbers
    const hasPaid = sums.settled.length + sums.failed.length > 0 && hasChanged(sums.theirStanding, millionths(standing))
    const isHired = sums.hasHired && hasChanged(sums.theirRep, repOf(millionths(credit), tuning))
    if (!hasPaid && !isHired) continue
    changes.push({
      with: counterparty,
      // half of the way: two that depend on each other would change places for ever
      ...(hasPaid ? { theirStanding: toMillionths((sums.theirStanding + millionths(standing)) / 2n) } : {}),
      ...(isHired ? { theirCredit: credit } : {}),
    })
  }
  return changes
}

/** Those who may have changed: whom an agent has dealt with in 365 days. None while the market is young. */
export function counterpartiesIn(state: State, now: Date, tuning: Tuning): string[] {
  advance(state, now)
  if (tuning.changeStep === undefined || !isMature(state, now.getTime())) return []
  return [...state.pairs].filter(([, pair]) => sumsOf(pair, now.getTime(), tuning)).map(([counterparty]) => counterparty)
}
