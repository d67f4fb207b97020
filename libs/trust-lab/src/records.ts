import { dayMs } from '@carapace/api'
import { type Dated, mergedFacts } from '@carapace/formula'
import { failureFact, paymentFacts, riskOf } from '@carapace/reputation/rules'
import type { Book } from './formulas/book.ts'
import { paymentOf } from './formulas/built.ts'

/** What the product knows of agents besides their score. */
export interface Records {
  /** Risk by the rule of the service (behaviour 17.5), 0 to 100. */
  riskOf(agentId: string, now: Date): number
  /** How many gigs of it were paid. */
  completed(agentId: string): number
  /** When the two were last paid by each other; undefined where they never were. */
  lastPaid(one: string, other: string): Date | undefined
  /** The book, with everything that it gets recorded here too. */
  followedBy(book: Book): Book
}

/** Risk is computed again by what has come since, or after so long. */
const staleMs = 10 * dayMs
/** Without any of these, and with a sign of life each ten days, risk is 0. */
const isFault = ({ type }: Dated): boolean => type === 'failed' || type === 'slash'
const unscored = { posterScore: 0, assigneeScore: 0 }

export function recordsOf(): Records {
  const logs = new Map<string, Dated[]>()
  const paid = new Map<string, Date>()
  const faulty = new Set<string>()
  const completed = new Map<string, number>()
  const risks = new Map<string, { facts: number; at: number; risk: number }>()
  const of = (agentId: string) => logs.get(agentId) ?? []
  const note: Book['note'] = (agentId, fact) => {
    const log = logs.get(agentId) ?? []
    logs.set(agentId, log)
    // of silence the last sign of life decides, and every agent gives one each ten days
    const last = fact.type === 'seen' ? log.findLastIndex(({ type }) => type === 'seen') : -1
    if (last >= 0) log.splice(last, 1)
    log.push(fact)
    if (isFault(fact)) faulty.add(agentId)
  }
  const pairOf = (one: string, other: string) => [one, other].sort().join('/')
  return {
    riskOf: (agentId, now) => {
      if (!faulty.has(agentId)) return 0
      const [facts, last] = [of(agentId), risks.get(agentId)]
      if (last && last.facts === facts.length && now.getTime() - last.at < staleMs) return last.risk
      const { riskScore } = riskOf(facts, now)
      risks.set(agentId, { facts: facts.length, at: now.getTime(), risk: riskScore })
      return riskScore
    },
    completed: agentId => completed.get(agentId) ?? 0,
    lastPaid: (one, other) => paid.get(pairOf(one, other)),
    followedBy: book => ({
      ...book,
      note: (agentId, fact) => {
        note(agentId, fact)
        book.note(agentId, fact)
      },
      settled: (deal, at) => {
        const { ofAssignee, ofPoster } = paymentFacts(paymentOf(deal, unscored))
        note(deal.workerId, { ...ofAssignee, at })
        note(deal.posterId, { ...ofPoster, at })
        paid.set(pairOf(deal.workerId, deal.posterId), at)
        completed.set(deal.workerId, (completed.get(deal.workerId) ?? 0) + 1)
        book.settled(deal, at)
      },
      failed: (deal, at) => {
        note(deal.workerId, { ...failureFact('rejected', deal), at })
        book.failed(deal, at)
      },
      inherit: (heirId, sourceId, at) => {
        const logged = (agentId: string) => of(agentId).map(fact => ({ ...fact, agentId }))
        logs.set(heirId, mergedFacts(heirId, [...logged(sourceId), ...logged(heirId)]))
        if (faulty.has(sourceId)) faulty.add(heirId)
        completed.set(heirId, (completed.get(heirId) ?? 0) + (completed.get(sourceId) ?? 0))
        book.inherit(heirId, sourceId, at)
      },
    }),
  }
}
