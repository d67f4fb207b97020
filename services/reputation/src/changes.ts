import { type Fact, followed, type State, type Vouching } from '@carapace/formula'
import { anchored } from './numbers.ts'
import type { Parts } from './parts.ts'
import { storedVouching } from './score.store.ts'

/** Ids of one read. */
const pageSize = 1_000

/**
 * What the logs of these agents do not say yet of those they have dealt with: a payer whose word counts for more or less by now, a worker whose credit does. Read
 * once a day, so that an agent's early payers are not worth for ever what they were before anybody knew them. By the counterparties of these agents,
 * however many others there are.
 * @param states that have followed the logs
 */
export async function changeFacts(parts: Parts, states: ReadonlyMap<string, State>, now: Date): Promise<Map<string, Fact>> {
  const counterparties = new Set([...states.values()].flatMap(state => followed.counterpartiesOf(state, now)))
  const numbers = await numbersNow(parts, [...counterparties])
  const facts = new Map<string, Fact>()
  for (const [agentId, state] of states) {
    const changed = followed.changesOf(state, now, id => numbers.get(id))
    if (changed.length > 0) facts.set(agentId, { type: 'counterparties_changed', changed })
  }
  return facts
}

async function numbersNow({ db, config }: Parts, ids: readonly string[]): Promise<Map<string, Vouching>> {
  const numbers = new Map<string, Vouching>()
  for (let at = 0; at < ids.length; at += pageSize)
    for (const [id, vouching] of await storedVouching(db, ids.slice(at, at + pageSize))) numbers.set(id, anchored(config, id, vouching))
  return numbers
}
