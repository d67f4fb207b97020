import type { Tuning } from '../v2/tuning.ts'
import { tuning as before } from '../v3/tuning.ts'

/**
 * Formula 4 is formula 3 with other numbers (behaviour 17.10): more than half of being known is for many payers, a payer's word grows more slowly, and
 * failing while little is known costs more.
 */
export const tuning: Tuning = {
  ...before,
  vouchHalfMicro: 4_000_000,
  manyShare: 580_000,
  manyHalf: 6_500_000,
  feesHalfMicro: 14_000_000,
  unknownPenalty: 15,
  cutOff: 200_000,
}
