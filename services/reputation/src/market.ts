import { marketId } from '@carapace/formula'
import type { Parts } from './parts.ts'

/** So many agents have ever vouched: the market is not young any more. */
const vouchersNeeded = 10

/**
 * Records, once and for all, that agents exist whose word counts: because an operator names some, or because enough have reached that. From then on
 * payers that nobody vouches for count little. Scores follow with the next fact of each agent, at the latest with the next day.
 * @returns whether the market has matured
 */
export async function matureMarket({ audit, scores, config, clock }: Parts): Promise<boolean> {
  if ((await audit.factsOf([marketId])).length > 0) return true
  const hasAnchors = config.TRUST_ANCHORS.length > 0
  if (!hasAnchors && (await scores.count({ vouches: true })) < vouchersNeeded) return false
  const fact = { type: 'market_matured', reason: hasAnchors ? 'anchors' : 'vouchers' } as const
  const entry = { agentId: marketId, fact, key: fact.type, eventId: fact.type, source: 'reputation', txHash: null, at: clock.now() }
  await audit.append([{ ...entry, scores: { before: 0, after: 0 } }])
  return true
}
