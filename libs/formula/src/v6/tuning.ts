import type { Tuning } from '../v2/tuning.ts'
import { tuning as before } from '../v5/tuning.ts'

/**
 * Formula 6 is formula 5 with other numbers (behaviour 17.10): what a counterparty counts for follows what it becomes, so that what is known of an agent
 * is not lost because its early payers had no word yet; how reliable it is counts by all who pay, those of little standing together hardly more than the
 * others; a payer's whole credit costs more fees, so that a standing that was bought lifts few; small payments do not end a standing; quality counts from
 * a higher one on, so that few outcomes of a good agent are more than many of a mediocre one; and age, fees and bonds order good agents only.
 */
export const tuning: Tuning = {
  ...before,
  words: {
    ...{ whole: 500_000, unvouched: 200_000, missed: 200_000, feesMicro: 1_000_000 },
    ...{ beyond: 100_000, missedBeyond: 500_000, missedShare: 200_000, failures: 1 },
  },
  changeStep: 100_000,
  creditFeesMicro: 3_500_000,
  vouchHalfMicro: 14_000_000,
  vouchPower: 2,
  vouchPaymentsMicro: 30_000_000,
  cutOff: 450_000,
  knownHalf: 800_000,
  manyHalf: 1_200_000,
  manyPower: 3,
  meritPower: 5,
  bond: { power: 4, amount: 15, days: 15, locks: 70, locksHalf: 30 },
  reviews: 70,
  duty: 10,
}
