/** Standing as payer from which an agent vouches for others, millionths. */
export const vouchesFrom = 500_000
/** So many agents have ever vouched: the market is not young any more. */
export const vouchersNeeded = 10

/** Why agents exist whose word counts; undefined while the market is young. */
export function maturityOf({ anchors, vouchers }: { anchors: number; vouchers: number }): 'anchors' | 'vouchers' | undefined {
  if (anchors > 0) return 'anchors'
  return vouchers >= vouchersNeeded ? 'vouchers' : undefined
}
