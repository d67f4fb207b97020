/** Standing as payer from which an agent vouches for others, millionths. */
export const vouchesFrom = 500_000
/** Agents that have ever vouched before a market without anchors is mature. */
export const vouchersNeeded = 10
/** Platform fees that they have paid together by then, micro-USDC: a group that makes the market mature by itself pays these first. */
const voucherFeesNeeded = 1_000_000_000n

/**
 * Why agents exist whose word counts; undefined while the market is young.
 * @param feesMicro platform fees that the vouchers have paid
 */
export function maturityOf({
  anchors,
  vouchers,
  feesMicro,
}: {
  anchors: number
  vouchers: number
  feesMicro: bigint
}): 'anchors' | 'vouchers' | undefined {
  if (anchors > 0) return 'anchors'
  return vouchers >= vouchersNeeded && feesMicro >= voucherFeesNeeded ? 'vouchers' : undefined
}
