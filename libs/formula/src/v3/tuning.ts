import { tuning as before, type Tuning } from '../v2/tuning.ts'

/**
 * Formula 3 is formula 2 with other numbers (behaviour 17.10): quality counts from 0.3 on, less credit is needed to be known, payers that nobody
 * vouches for have less of it, and failing costs while little is known.
 */
export const tuning: Tuning = {
  ...before,
  floor: 2_500,
  floorCredit: 8_000,
  knownHalf: 300_000,
  feesHalfMicro: 25_000_000,
  cutOff: 300_000,
  unknownPenalty: 10,
}
