import type { Tuning } from '../v2/tuning.ts'
import { tuning as before } from '../v4/tuning.ts'

/**
 * Formula 5 is formula 4 with other numbers (behaviour 17.10): a word spreads sooner, the first credit is worth more and few failures cost less, so that
 * good workers are above those who begin again also in markets that are slow to know anybody. What needs many payers begins more steeply, beyond six.
 */
export const tuning: Tuning = {
  ...before,
  vouchFrom: 120_000,
  vouchRange: 200_000,
  vouchHalfMicro: 2_200_000,
  knownHalf: 150_000,
  manyShare: 550_000,
  manyHalf: 7_200_000,
  manyPower: 6,
  unknownTolerance: 150_000,
}
