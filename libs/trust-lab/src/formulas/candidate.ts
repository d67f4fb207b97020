import { candidateWith, type State, type Tuning, tuning } from '@carapace/formula'
import type { Formula } from './book.ts'
import { votesOf } from './built.ts'
import { logsOf } from './log.ts'

/** The market is mature, for ever, once so many payers have had half a standing. */
const vouchers = 10
const half = 500_000
const whole = 1_000_000

/** Formula 2: the numbers of a counterparty are stored in the fact as they were. */
export const candidateOf = (numbers: Tuning, title: string): Formula => ({
  title,
  start: anchors => {
    const formula = candidateWith(numbers)
    const anchored = new Set(anchors)
    const states = new Map<string, { state: State; applied: number }>()
    const vouching = new Set<string>()
    let isMature = false
    const { note, computed, inherit, agents } = logsOf((agentId, facts, now) => {
      const entry = states.get(agentId) ?? { state: formula.start(), applied: 0 }
      for (; entry.applied < facts.length; entry.applied++) formula.apply(entry.state, facts[entry.applied]!)
      states.set(agentId, entry)
      const { score, vouching } = formula.standingOf(entry.state, now)
      return { score: score.fusedScore, standing: anchored.has(agentId) ? whole : vouching.standing, credit: vouching.credit }
    })
    const mature = (reason: 'anchors' | 'vouchers', at: Date) => {
      isMature = true
      for (const agentId of agents()) note(agentId, { type: 'market_matured', reason, at })
    }
    return {
      note: (agentId, fact) => {
        note(agentId, fact)
        if (fact.type !== 'registered') return
        if (isMature) note(agentId, { type: 'market_matured', reason: 'anchors', at: fact.at })
        else if (anchored.size > 0) mature('anchors', fact.at)
      },
      inherit: (heirId, sourceId, at) => {
        inherit(heirId, sourceId, at)
        states.delete(heirId)
      },
      score: (agentId, now) => computed(agentId, now).score,
      settled: ({ gigId, posterId, workerId, fee, net }, at) => {
        const [poster, worker] = [computed(posterId, at), computed(workerId, at)]
        const shared = { type: 'settled', gigId, fee: String(fee), creditable: true, at } as const
        note(workerId, { ...shared, role: 'assignee', net: String(net), with: posterId, theirScore: poster.score, theirStanding: poster.standing })
        note(posterId, { ...shared, role: 'poster', net: '0', with: workerId, theirScore: worker.score, theirCredit: worker.credit })
        if (isMature || poster.standing < half) return
        vouching.add(posterId)
        if (vouching.size >= vouchers) mature('vouchers', at)
      },
      failed: ({ gigId, posterId, workerId, budget }, at) => {
        const theirStanding = computed(posterId, at).standing
        note(workerId, { type: 'failed', with: posterId, reason: 'rejected', gigId, budget: String(budget), theirStanding, at })
      },
      voted: (agentId, ballot, at) => {
        for (const fact of votesOf(ballot, at)) note(agentId, fact)
      },
      judgement: (agentId, now) => {
        computed(agentId, now)
        const entry = states.get(agentId)
        return entry ? formula.judgementOf(entry.state, now) / whole : 0
      },
    }
  },
})

export const candidate: Formula = candidateOf(tuning, 'v2')
