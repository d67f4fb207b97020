import { dayMs } from '@carapace/api'
import {
  type FormulaVersion,
  incrementalWith,
  lanes,
  maturityOf,
  type State,
  type Tuning,
  tunings,
  type Vouching,
  vouchesFrom,
} from '@carapace/formula'
import { failureFact, paymentFacts } from '@carapace/reputation/rules'
import type { Formula } from './book.ts'
import { paymentOf, votesOf } from './built.ts'
import { logsOf } from './log.ts'

const whole = 1_000_000

/** Formulas from 2 on: the numbers of a counterparty are stored in the fact as they were, and once they have changed. */
export const followingOf = (numbers: Tuning, title: string): Formula => ({
  title,
  start: anchors => {
    const formula = incrementalWith(numbers)
    const anchored = new Set(anchors)
    const states = new Map<string, { state: State; applied: number; followedOn: number }>()
    const vouching = new Set<string>()
    const feesOf = new Map<string, bigint>()
    let isMature = false
    const latest = new Map<string, Vouching>()
    const { note, computed, inherit, agents } = logsOf((agentId, facts, now) => {
      const entry = states.get(agentId) ?? { state: formula.start(), applied: 0, followedOn: -1 }
      const follow = () => {
        for (; entry.applied < facts.length; entry.applied++) formula.apply(entry.state, facts[entry.applied]!)
      }
      follow()
      states.set(agentId, entry)
      // as the service does, once a day at most; where no fact comes and no score is read, days later
      const today = Math.floor(now.getTime() / dayMs)
      if (entry.followedOn < today) {
        entry.followedOn = today
        const changed = formula.changesOf(entry.state, now, id => latest.get(id))
        if (changed.length > 0) note(agentId, { type: 'counterparties_changed', changed, at: now })
        follow()
      }
      const { score, vouching } = formula.standingOf(entry.state, now)
      const numbers = { standing: anchored.has(agentId) ? whole : vouching.standing, credit: vouching.credit }
      latest.set(agentId, numbers)
      return { score: score.fusedScore, ...numbers }
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
      settled: (deal, at) => {
        const { posterId, workerId } = deal
        const [poster, worker] = [computed(posterId, at), computed(workerId, at)]
        const { ofAssignee, ofPoster } = paymentFacts(paymentOf(deal, { posterScore: poster.score, assigneeScore: worker.score }))
        note(workerId, { ...ofAssignee, theirStanding: poster.standing, at })
        note(posterId, { ...ofPoster, theirCredit: worker.credit, at })
        if (isMature) return
        feesOf.set(posterId, (feesOf.get(posterId) ?? 0n) + deal.fee)
        if (poster.standing >= vouchesFrom) vouching.add(posterId)
        const feesMicro = [...vouching].reduce((sum, id) => sum + feesOf.get(id)!, 0n)
        const reason = maturityOf({ anchors: 0, vouchers: vouching.size, feesMicro })
        if (reason) mature(reason, at)
      },
      failed: (deal, at) => note(deal.workerId, { ...failureFact('rejected', deal), theirStanding: computed(deal.posterId, at).standing, at }),
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

export const following: Record<string, Formula> = Object.fromEntries(
  Object.entries(tunings).map(([version, numbers]) => [
    `v${version}`,
    { ...followingOf(numbers, `v${version}`), lane: lanes[version as FormulaVersion] },
  ]),
)
