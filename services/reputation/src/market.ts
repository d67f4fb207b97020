import { marketId, maturityOf, standingFacts, vouchersNeeded, within } from '@carapace/formula'
import type { Parts } from './parts.ts'
import type { ScoreDoc } from './score.store.ts'

/** Those whose word has counted without an anchor. */
export const vouching = { vouches: true, status: 'active' } as const
/** Read of them at most: half a standing in a young market costs 8 USDC of fees, so these have paid enough. */
const mostVouchers = 200

/**
 * Records, once and for all, that agents exist whose word counts: because an operator names one that is registered, or because enough have reached that
 * and have paid enough fees. From then on payers that nobody vouches for count little. Scores follow with the next fact of each agent, at the latest with the next day.
 * @returns whether the market has matured
 */
export async function matureMarket(parts: Parts): Promise<boolean> {
  const { audit, scores, config, clock } = parts
  if ((await audit.factsOf([marketId])).length > 0) return true
  const [anchor] = await scores.find({ _id: { $in: config.TRUST_ANCHORS }, status: 'active' }, { sort: { _id: 1 }, limit: 1 })
  const vouchers = anchor ? [] : await scores.find(vouching, { sort: { _id: 1 }, limit: mostVouchers })
  const feesMicro = vouchers.length < vouchersNeeded ? 0n : await feesPaidBy(parts, vouchers)
  const reason = maturityOf({ anchors: anchor ? 1 : 0, vouchers: vouchers.length, feesMicro })
  if (!reason) return false
  const fact = { type: 'market_matured', reason, ...(anchor && { anchor: anchor.id }) } as const
  const entry = { agentId: marketId, fact, key: fact.type, eventId: fact.type, source: 'reputation', txHash: null, at: clock.now() }
  await audit.append([{ ...entry, scores: { before: 0, after: 0 } }])
  return true
}

/** Platform fees that these agents have paid together for work, micro-USDC. */
async function feesPaidBy({ audit, clock }: Parts, agents: readonly ScoreDoc[]): Promise<bigint> {
  const [facts, now] = [await audit.factsOf(agents.map(({ id }) => id)), clock.now()]
  const paid = within(standingFacts(facts, now), 'settled', now)
  return paid.reduce((sum, { role, fee }) => (role === 'poster' ? sum + BigInt(fee) : sum), 0n)
}
