/**
 * The numbers of formulas from 2 on that the lab may vary: millionths, micro-USDC where the name ends so, points, powers, or counts. A change of those of a version is a
 * new version as soon as one score was stored with it.
 */
export interface Tuning {
  /** Standing of a payer that nobody vouches for. */
  floor: number
  /** What the credits of all such payers of an agent sum to at most. */
  floorCredit: number
  /** While the market is young nobody can vouch yet: */
  young: {
    /** the floor, and no limit of the sum, */
    floor: number
    /** what is known of an agent at most, however many pay it, and the fees paid to it for half of that, */
    known: number
    knownHalfMicro: number
    /** the fees for vouched work that make half a standing. */
    vouchHalfMicro: number
  }
  /** Whose word counts on how reliable an agent is, apart from credit. Absent: by what its credit counts. */
  words?: {
    /** the standing from which it counts whole, */
    whole: number
    /** that of a payer nobody vouches for, and of one that was failed, */
    unvouched: number
    missed: number
    /** the fees of a pair for a whole word of such a payer, */
    feesMicro: number
    /** how many outcomes all payers with a standing below whole·unvouched may count together beyond what the others do, */
    beyond: number
    /** before that their failures alone: so many beyond a share of what the others count, */
    missedBeyond: number
    missedShare: number
    /** and the failures of one payer that count. In a mature market those of payers of so little standing count neither for size nor for form. */
    failures: number
  }
  /** Factor for a pair that hired in both directions or shares a crew. */
  tie: number
  /** Platform fees of a pair for a whole credit. */
  creditFeesMicro: number
  /** Sum of credits from which an agent's payers gain standing, and how much more until they gain all of it. */
  vouchFrom: number
  vouchRange: number
  /**
   * What a counterparty counts for follows what it becomes, up and down, by steps of so much of a standing (half of the way each) or of what a worker's
   * credit gives. Absent: it stays as it was when they last dealt with each other.
   */
  changeStep?: number
  /** Fees for one worker that count at most, and those that make half a standing. */
  vouchFeesMicro: number
  vouchHalfMicro: number
  /** How steeply a standing begins with those fees, in a mature market. */
  vouchPower: number
  /** The newest payments that a standing is of, and how many times their share for vouched work counts. */
  vouchPayments: number
  /** The fees that these payments are of at least, so that small ones do not replace all others. Absent: of any. */
  vouchPaymentsMicro?: number
  vouchShare: number
  /** Sum of credits at which half of an agent is known. */
  knownHalf: number
  /** Share of being known that many payers alone can give, the sum of credits at which half of it is given, and how steeply it begins there. */
  manyShare: number
  manyHalf: number
  manyPower: number
  /** Age, fees and the bond count times the quality to this power: they order good agents, and lift no bad one above them. */
  meritPower: number
  /** Points of a bond by its amount, its days, and its clean locks, and how many locks make half of these. */
  bond: { power: number; amount: number; days: number; locks: number; locksHalf: number }
  /** Points for reviews, and for votes that were requested. */
  reviews: number
  duty: number
  /** Fees that make half of what fees give. */
  feesHalfMicro: number
  /** What failing everything costs while nothing is known. */
  unknownPenalty: number
  /** The share of failures that costs nothing of it. */
  unknownTolerance: number
  /** Quality up to which nothing is given. */
  cutOff: number
  /** Share of the standard deviation that is deducted for doubt. */
  doubt: number
  /** Difference between small and large gigs that is tolerated, and what more costs. */
  sizeTolerance: number
  sizeSlope: number
  /** What the last ten outcomes may be worse without a loss. */
  formTolerance: number
}

/** Formula 2. */
export const tuning: Tuning = {
  floor: 5_000,
  floorCredit: 20_000,
  young: { floor: 200_000, known: 35_000, knownHalfMicro: 5_000_000, vouchHalfMicro: 8_000_000 },
  tie: 100_000,
  creditFeesMicro: 1_000_000,
  vouchFrom: 250_000,
  vouchRange: 250_000,
  vouchFeesMicro: 5_000_000,
  vouchHalfMicro: 2_000_000,
  vouchPower: 1,
  vouchPayments: 20,
  vouchShare: 3_000_000,
  knownHalf: 500_000,
  manyShare: 0,
  manyHalf: 8_000_000,
  manyPower: 3,
  meritPower: 0,
  bond: { power: 0, amount: 20, days: 20, locks: 60, locksHalf: 10 },
  reviews: 40,
  duty: 20,
  feesHalfMicro: 15_000_000,
  unknownPenalty: 0,
  unknownTolerance: 0,
  cutOff: 100_000,
  doubt: 500_000,
  sizeTolerance: 150_000,
  sizeSlope: 1_500_000,
  formTolerance: 200_000,
}
