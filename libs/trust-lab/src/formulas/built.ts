import { formulas, judgementAt, lanes } from '@carapace/formula'
import { failureFact, judgedFact, paymentFacts } from '@carapace/reputation/rules'
import type { Book, Deal, Formula } from './book.ts'
import { logsOf } from './log.ts'

/** Formula 1: computed from the whole log of an agent. Validators are drawn by J, whichever formula is in force. */
export const built: Formula = {
  title: 'v1',
  lane: lanes['1'],
  start: () => {
    const { note, computed, inherit } = logsOf((_, facts, now) => {
      // J is of the judged votes alone
      const judgement = judgementAt(
        facts.filter(({ type }) => type === 'vote_judged'),
        now,
      )
      return { score: formulas['1'].scoreOf(facts, now).fusedScore, judgement }
    })
    const score: Book['score'] = (agentId, now) => computed(agentId, now).score
    return {
      note,
      score,
      inherit,
      judgement: (agentId, now) => computed(agentId, now).judgement / 1e6,
      settled: (deal, at) => {
        const { ofAssignee, ofPoster } = paymentFacts(
          paymentOf(deal, { posterScore: score(deal.posterId, at), assigneeScore: score(deal.workerId, at) }),
        )
        note(deal.workerId, { ...ofAssignee, at })
        note(deal.posterId, { ...ofPoster, at })
      },
      failed: (deal, at) => note(deal.workerId, { ...failureFact('rejected', deal), at }),
      voted: (agentId, ballot, at) => {
        for (const fact of votesOf(ballot, at)) note(agentId, fact)
      },
    }
  },
}

/** A deal as the service reads a payment. */
export const paymentOf = <Scores extends { posterScore: number; assigneeScore: number }>({ workerId, ...deal }: Deal, scores: Scores) => ({
  ...{ ...deal, ...scores },
  assigneeId: workerId,
  creditable: true,
})

/** The facts of a seat of a panel. */
export function votesOf({ validationId, choice, verdict }: Parameters<Book['voted']>[1], at: Date) {
  return [
    { type: 'vote_asked', validationId, at } as const,
    ...(choice ? [{ type: 'vote_cast', validationId, at } as const, { ...judgedFact(choice, { validationId, verdict }), at }] : []),
  ]
}
