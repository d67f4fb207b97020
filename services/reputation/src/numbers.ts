import { type Fact, followed, type State, type Vouching } from '@carapace/formula'
import type { Parts } from './parts.ts'
import type { ScoreDoc } from './score.store.ts'

/** Facts whose agents' logs hold numbers of the other side, as it is when the fact is written. */
const hasPartner = (fact: Fact): fact is Extract<Fact, { with: string }> => fact.type === 'settled' || fact.type === 'failed'

/** Whose numbers a fact stores. */
export const partnersIn = (fact: Fact): string[] => (hasPartner(fact) ? [fact.with] : [])

/** The numbers that these facts store of others, by agent. An agent that is not known yet has none. */
export function numbersOf(
  { config }: Pick<Parts, 'config'>,
  subjects: ReadonlyMap<string, { doc: ScoreDoc; state: State }>,
  items: readonly { fact: Fact }[],
  now: Date,
): ReadonlyMap<string, Vouching> {
  const numbers = new Map<string, Vouching>()
  for (const id of items.flatMap(({ fact }) => partnersIn(fact))) {
    const subject = subjects.get(id)
    if (!subject || numbers.has(id)) continue
    numbers.set(id, anchored(config, id, followed.vouchingOf(subject.state, now)))
  }
  return numbers
}

/** The fact with what it stores of the other side: the payer's standing, or the worker's credit. */
export function withNumbers(fact: Fact, numbers: ReadonlyMap<string, Vouching>): Fact {
  if (!hasPartner(fact)) return fact
  const { standing, credit } = numbers.get(fact.with) ?? { standing: 0, credit: 0 }
  return fact.type === 'settled' && fact.role === 'poster' ? { ...fact, theirCredit: credit } : { ...fact, theirStanding: standing }
}

/** The word of a poster that the operator knows counts whole. */
export const anchored = ({ TRUST_ANCHORS }: Parts['config'], id: string, numbers: Vouching): Vouching =>
  TRUST_ANCHORS.includes(id) ? { ...numbers, standing: 1_000_000 } : numbers
