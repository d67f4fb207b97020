import { formulas } from '@carapace/formula'
import type { Book, Formula } from './book.ts'
import { logsOf } from './log.ts'

/** Formula 1: computed from the whole log of an agent. */
export const built: Formula = {
  title: 'v1',
  start: () => {
    const { note, computed, inherit } = logsOf((_, facts, now) => ({ score: formulas['1'].scoreOf(facts, now).fusedScore }))
    const score: Book['score'] = (agentId, now) => computed(agentId, now).score
    return {
      note,
      score,
      inherit,
      settled: ({ gigId, posterId, workerId, fee, net }, at) => {
        const shared = { type: 'settled', gigId, fee: String(fee), net: String(net), creditable: true, at } as const
        note(workerId, { ...shared, role: 'assignee', with: posterId, theirScore: score(posterId, at) })
        note(posterId, { ...shared, role: 'poster', with: workerId, theirScore: score(workerId, at) })
      },
      failed: ({ gigId, posterId, workerId }, at) => note(workerId, { type: 'failed', with: posterId, reason: 'rejected', gigId, at }),
      voted: (agentId, ballot, at) => {
        for (const fact of votesOf(ballot, at)) note(agentId, fact)
      },
    }
  },
}

/** The facts of a seat of a panel. */
export function votesOf({ validationId, choice, verdict }: Parameters<Book['voted']>[1], at: Date) {
  const withVerdict = (choice === 'approve') === (verdict === 'approved')
  return [
    { type: 'vote_asked', validationId, at } as const,
    ...(choice
      ? [{ type: 'vote_cast', validationId, at } as const, { type: 'vote_judged', validationId, withVerdict, vote: choice, at } as const]
      : []),
  ]
}
