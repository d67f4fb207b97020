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
    const isAnchor = config.TRUST_ANCHORS.includes(id)
    numbers.set(id, { ...followed.vouchingOf(subject.state, now), ...(isAnchor ? { standing: 1_000_000 } : {}) })
  }
  return numbers
}

/** The fact with what it stores of the other side: the payer's standing, or the worker's credit. */
export function withNumbers(fact: Fact, numbers: ReadonlyMap<string, Vouching>): Fact {
  if (!hasPartner(fact)) return fact
  const { standing, credit } = numbers.get(fact.with) ?? { standing: 0, credit: 0 }
  return fact.type === 'settled' && fact.role === 'poster' ? { ...fact, theirCredit: credit } : { ...fact, theirStanding: standing }
}

type Grown = Extract<Fact, { type: 'counterparties_grown' }>

/** Ids of one read. */
const pageSize = 1_000

/**
 * What the logs of these agents do not say yet of those they have dealt with: a payer whose word counts for more by now, a worker that others pay. Read
 * once a day, so that an agent's early payers are not worth for ever what they were before anybody knew them. By the counterparties of these agents,
 * however many others there are.
 * @param states that have followed the logs
 */
export async function grownSince(parts: Parts, states: ReadonlyMap<string, State>, now: Date): Promise<Map<string, Grown>> {
  const counterparties = new Set([...states.values()].flatMap(state => followed.counterpartiesOf(state, now)))
  const numbers = await storedNumbers(parts, [...counterparties])
  const facts = new Map<string, Grown>()
  for (const [agentId, state] of states) {
    const grown = followed.growthsOf(state, now, id => numbers.get(id))
    if (grown.length > 0) facts.set(agentId, { type: 'counterparties_grown', grown })
  }
  return facts
}

/** As they are stored with the scores. */
async function storedNumbers({ db, config }: Parts, ids: readonly string[]): Promise<Map<string, Vouching>> {
  const scores = db.connection.collection<{ _id: string; vouching?: Vouching }>('scores')
  const numbers = new Map<string, Vouching>()
  for (let at = 0; at < ids.length; at += pageSize) {
    const rows = scores.find({ _id: { $in: ids.slice(at, at + pageSize) } }, { projection: { vouching: 1 } })
    for await (const { _id: id, vouching } of rows)
      if (vouching) numbers.set(id, config.TRUST_ANCHORS.includes(id) ? { ...vouching, standing: 1_000_000 } : vouching)
  }
  return numbers
}
