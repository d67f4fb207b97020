import fc from 'fast-check'
import type { Dated, Fact } from '../facts.ts'
import { ago } from './example.fixture.ts'

const some = fc.constantFrom('a', 'b', 'c', 'd')
const gig = fc.constantFrom(...Array.from({ length: 12 }, (_, n) => `g${n}`))
export const share = fc.integer({ min: 0, max: 1_000_000 })
const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  fc.record(
    {
      type: fc.constant('settled' as const),
      role: fc.constantFrom('assignee' as const, 'assignee' as const, 'poster' as const),
      with: some,
      theirScore: fc.integer({ min: 0, max: 1000 }).map(tenths => tenths / 10),
      theirStanding: share,
      theirCredit: share.map(value => 3 * value),
      fee: fc.nat(3_000_000).map(String),
      net: fc.nat(90_000_000).map(String),
      gigId: gig,
      creditable: fc.boolean(),
    },
    { requiredKeys: ['type', 'role', 'with', 'theirScore', 'fee', 'net', 'gigId', 'creditable'] },
  ),
  fc.record(
    {
      type: fc.constant('failed' as const),
      with: some,
      reason: fc.constant('rejected' as const),
      gigId: gig,
      budget: fc.nat(90_000_000).map(String),
      theirStanding: share,
    },
    { requiredKeys: ['type', 'with', 'reason', 'gigId'] },
  ),
  fc.record({ type: fc.constantFrom('settlement_undone' as const, 'settled_again' as const), gigId: gig }),
  fc.record({ type: fc.constant('bond' as const), total: fc.nat(900_000_000).map(String), change: fc.constant('deposited' as const) }),
  fc.record({ type: fc.constant('bond_lock_ended' as const), gigId: gig, clean: fc.boolean() }),
  fc.record({
    type: fc.constant('slash' as const),
    slashId: some,
    status: fc.constantFrom('APPLIED' as const, 'REVERSED' as const),
    amount: fc.constantFrom('0', '1'),
    cause: fc.constantFrom('verdict' as const, 'decision' as const),
  }),
  fc.record({ type: fc.constantFrom('vote_asked' as const, 'vote_excused' as const, 'vote_cast' as const), validationId: some }),
  fc.record(
    {
      type: fc.constant('vote_judged' as const),
      validationId: some,
      withVerdict: fc.boolean(),
      vote: fc.constantFrom('approve' as const, 'reject' as const),
    },
    { requiredKeys: ['type', 'validationId', 'withVerdict'] },
  ),
  fc.record({ type: fc.constant('reviewed' as const), by: some, rating: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('followed' as const), by: some, theirScore: fc.integer({ min: 0, max: 100 }), theirFollows: fc.nat(50) }),
  fc.record({ type: fc.constant('unfollowed' as const), by: some }),
  fc.record({ type: fc.constant('crew_mates' as const), crewId: some, mates: fc.array(some) }),
  fc.record({
    type: fc.constant('counterparties_changed' as const),
    changed: fc.array(fc.record({ with: some, theirStanding: share, theirCredit: share.map(value => 3 * value) }, { requiredKeys: ['with'] }), {
      maxLength: 3,
    }),
  }),
  fc.constantFrom<Fact>(
    { type: 'registered' },
    { type: 'seen' },
    { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' },
    { type: 'market_matured', reason: 'vouchers' },
  ),
)
/** Few moments, so that some facts have the same. */
const dated: fc.Arbitrary<Dated> = fc.tuple(anyFact, fc.integer({ min: 0, max: 60 })).map(([fact, weeks]) => ago(7 * weeks, fact))
/** Logs of all kinds of facts among few agents and gigs. */
export const anyLog = fc.array(dated, { maxLength: 40 })
