import { max, one, ratio, toMillionths, whole } from './decimal.ts'

/** Judged votes of a validator: approvals and rejections that had the final verdict, or had not. */
export interface Judged {
  approvedRight: number
  approvedWrong: number
  rejectedRight: number
  rejectedWrong: number
}

/** Votes that an agent begins with, in tenths: so many were right, of so many. */
interface Prior {
  right: number
  all: number
}
const trusted: Prior = { right: 34, all: 40 }
/** Most work is sound, so only votes on the other shows how an agent judges, and there are few of these. */
const unproven: Prior = { right: 12, all: 20 }

const agreement = (judged: Judged, ofBadWork: Prior): number => {
  const rate = (right: number, wrong: number, prior: Prior) => ratio(whole(10 * right + prior.right), whole(10 * (right + wrong) + prior.all))
  const [sound, bad] = [rate(judged.approvedRight, judged.rejectedWrong, trusted), rate(judged.rejectedRight, judged.approvedWrong, ofBadWork)]
  return toMillionths(max(0n, sound + bad - one))
}

/**
 * A validator's agreement with the final verdicts, corrected for how often work is approved anyway: 0 to 1, in millionths (J of behaviour 17.10).
 * Someone who approves everything is right as often as work is sound, and yet has next to nothing.
 * @example judgementOf({ approvedRight: 0, approvedWrong: 0, rejectedRight: 0, rejectedWrong: 0 }) // 700_000
 */
export const judgementOf = (judged: Judged): number => agreement(judged, trusted)

/**
 * The same for draws of panels (J′ of behaviour 17.10): an agent has to show first that it recognises bad work, so that one that approves everything is
 * drawn less before much of it has come.
 * @example judgementForDraws({ approvedRight: 0, approvedWrong: 0, rejectedRight: 0, rejectedWrong: 0 }) // 450_000
 */
export const judgementForDraws = (judged: Judged): number => agreement(judged, unproven)
