import { marketId, maturityOf } from '@carapace/formula'
import type { Parts } from './parts.ts'

/**
 * Records, once and for all, that agents exist whose word counts: because an operator names one that is registered, or because enough have reached that. From then on
 * payers that nobody vouches for count little. Scores follow with the next fact of each agent, at the latest with the next day.
 * @returns whether the market has matured
 */
export async function matureMarket({ audit, scores, config, clock }: Parts): Promise<boolean> {
  if ((await audit.factsOf([marketId])).length > 0) return true
  const [anchor] = await scores.find({ _id: { $in: config.TRUST_ANCHORS }, status: 'active' }, { sort: { _id: 1 }, limit: 1 })
  const reason = maturityOf({ anchors: anchor ? 1 : 0, vouchers: await scores.count({ vouches: true }) })
  if (!reason) return false
  const fact = { type: 'market_matured', reason, ...(anchor && { anchor: anchor.id }) } as const
  const entry = { agentId: marketId, fact, key: fact.type, eventId: fact.type, source: 'reputation', txHash: null, at: clock.now() }
  await audit.append([{ ...entry, scores: { before: 0, after: 0 } }])
  return true
}
