import type { Dated, Of } from '../facts.ts'
import { addChange, addOutcome, type Outcome, type Pair, removeOutcome } from './pairs.ts'
import { compare, insert, insertTime } from './timeline.ts'

type GigFact = Of<'settled'> | Of<'failed'> | Of<'settlement_undone'> | Of<'settled_again'>

/** What the formulas from 2 on remember of an agent: changed by one fact in the time of one counterparty, the same in every order of arrival. */
export interface State {
  /** Facts later than the last moment that was computed, in order. */
  later: Dated[]
  gigs: Map<string, { facts: GigFact[]; outcomes: readonly Outcome[] }>
  pairs: Map<string, Pair>
  /** Gigs done for others, paid and failed, in order. */
  outcomes: Outcome[]
  /** Payments to others, in order. */
  paid: Of<'settled'>[]
  crews: Map<string, Of<'crew_mates'>>
  mates: Set<string>
  reviews: Map<string, Of<'reviewed'>>
  follows: Map<string, Of<'followed'> | Of<'unfollowed'>>
  votes: { approvedRight: number[]; approvedWrong: number[]; rejectedRight: number[]; rejectedWrong: number[] }
  requested: Map<string, number[]>
  excused: Set<string>
  /** Moments, in order: votes requested and not excused, votes, locks that ended clean. */
  requests: number[]
  votesGiven: number[]
  cleanLocks: number[]
  bonds: Of<'bond'>[]
  slashes: Map<string, Of<'slash'>>
  registeredOnChain: number
  lastActive: number
  maturedAt: number
  hasMigrated: boolean
}

/** An agent without any fact. */
export const start = (): State => ({
  later: [],
  gigs: new Map(),
  pairs: new Map(),
  outcomes: [],
  paid: [],
  crews: new Map(),
  mates: new Set(),
  reviews: new Map(),
  follows: new Map(),
  votes: { approvedRight: [], approvedWrong: [], rejectedRight: [], rejectedWrong: [] },
  requested: new Map(),
  excused: new Set(),
  requests: [],
  votesGiven: [],
  cleanLocks: [],
  bonds: [],
  slashes: new Map(),
  registeredOnChain: Number.POSITIVE_INFINITY,
  lastActive: Number.NEGATIVE_INFINITY,
  maturedAt: Number.POSITIVE_INFINITY,
  hasMigrated: false,
})

/** Adds a fact; it counts from its own time on. */
export const apply = (state: State, fact: Dated): void => insert(state.later, fact, compare)

/** Counts what has happened up to a moment, which is never earlier than one before. */
export function advance(state: State, now: Date): void {
  const due = state.later.findIndex(({ at }) => at > now)
  for (const fact of state.later.splice(0, due === -1 ? state.later.length : due)) count(state, fact)
}

function count(state: State, fact: Dated): void {
  switch (fact.type) {
    case 'settled':
    case 'failed':
    case 'settlement_undone':
    case 'settled_again':
      countGig(state, fact)
      break
    case 'registered':
    case 'seen':
      state.lastActive = Math.max(state.lastActive, fact.at.getTime())
      break
    case 'vote_cast':
      state.lastActive = Math.max(state.lastActive, fact.at.getTime())
      insertTime(state.votesGiven, fact.at)
      break
    case 'vote_judged':
      // one from before its side was stored counts as an approval, as most are
      insertTime(state.votes[`${fact.vote === 'reject' ? 'rejected' : 'approved'}${fact.withVerdict ? 'Right' : 'Wrong'}`], fact.at)
      break
    case 'vote_asked':
    case 'vote_excused':
      countRequest(state, fact)
      break
    case 'counterparties_changed':
      for (const change of fact.changed) addChange(pairWith(state, change.with), { ...change, at: fact.at })
      break
    case 'crew_mates':
      setLatest(state.crews, fact.crewId, fact)
      state.mates = new Set([...state.crews.values()].flatMap(({ mates }) => mates))
      break
    case 'reviewed':
      setLatest(state.reviews, fact.by, fact)
      break
    case 'followed':
    case 'unfollowed':
      setLatest(state.follows, fact.by, fact)
      break
    case 'bond':
      insert(state.bonds, fact, compare)
      break
    case 'bond_lock_ended':
      if (fact.clean) insertTime(state.cleanLocks, fact.at)
      break
    case 'slash':
      setLatest(state.slashes, fact.slashId, fact)
      break
    case 'onchain_confirmed':
      state.registeredOnChain = Math.min(state.registeredOnChain, fact.at.getTime())
      break
    case 'market_matured':
      state.maturedAt = Math.min(state.maturedAt, fact.at.getTime())
      break
    case 'migrated':
      state.hasMigrated = true
  }
}

function setLatest<F extends Dated>(latest: Map<string, F>, key: string, fact: F): void {
  const present = latest.get(key)
  if (!present || compare(present, fact) < 0) latest.set(key, fact)
}

function countRequest(state: State, { type, validationId, at }: Of<'vote_asked'> | Of<'vote_excused'>): void {
  if (type === 'vote_asked') {
    if (state.excused.has(validationId)) return
    state.requested.set(validationId, [...(state.requested.get(validationId) ?? []), at.getTime()])
    insertTime(state.requests, at)
    return
  }
  state.excused.add(validationId)
  for (const time of state.requested.get(validationId) ?? []) state.requests.splice(state.requests.indexOf(time), 1)
  state.requested.delete(validationId)
}

/** The outcomes of a gig follow from all of its facts: a reorganisation may repeat an end, or put another one in its place. */
function countGig(state: State, fact: GigFact): void {
  const gig = state.gigs.get(fact.gigId) ?? { facts: [], outcomes: [] }
  insert<GigFact>(gig.facts, fact, compare)
  const outcomes = outcomesOf(gig.facts)
  for (const outcome of gig.outcomes.filter(one => !outcomes.includes(one))) {
    removeOutcome(pairWith(state, outcome.with), outcome)
    if (isOwn(outcome)) state.outcomes.splice(state.outcomes.indexOf(outcome), 1)
    else if (isPaid(outcome)) state.paid.splice(state.paid.indexOf(outcome), 1)
  }
  for (const outcome of outcomes.filter(one => !gig.outcomes.includes(one))) {
    addOutcome(pairWith(state, outcome.with), outcome)
    if (isOwn(outcome)) insert<Outcome>(state.outcomes, outcome, compare)
    else if (isPaid(outcome)) insert(state.paid, outcome, compare)
  }
  state.gigs.set(fact.gigId, { facts: gig.facts, outcomes })
}

const isPaid = (outcome: Outcome): outcome is Of<'settled'> => outcome.type === 'settled' && outcome.role === 'poster'
const isOwn = (outcome: Outcome): boolean => outcome.type === 'failed' || (outcome.role === 'assignee' && outcome.creditable)

/** As `standingFacts`, for one gig: its payments unless reversed, and its last failure unless it was paid since. */
function outcomesOf(facts: readonly GigFact[]): Outcome[] {
  const isReversed = facts.findLast(({ type }) => type === 'settlement_undone' || type === 'settled_again')?.type === 'settlement_undone'
  const paid = facts.findLast(({ type }) => type === 'settled' || type === 'settled_again')
  const settled = facts.filter((fact): fact is Of<'settled'> => fact.type === 'settled')
  const failed = facts.findLast((fact): fact is Of<'failed'> => fact.type === 'failed')
  const isFailed = failed && (isReversed || !paid || paid.at < failed.at)
  return [...(isReversed ? [] : settled), ...(isFailed ? [failed] : [])]
}

function pairWith(state: State, counterparty: string): Pair {
  const pair = state.pairs.get(counterparty) ?? { outcomes: [], changed: [], sums: undefined }
  state.pairs.set(counterparty, pair)
  return pair
}
