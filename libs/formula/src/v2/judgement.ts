import { max, one, ratio, toMillionths, whole } from './decimal.ts'

/** Judged votes of a validator: approvals and rejections that had the final verdict, or had not. */
export interface Judged {
  approvedRight: number
  approvedWrong: number
  rejectedRight: number
  rejectedWrong: number
}

/**
 * A validator's agreement with the final verdicts, corrected for how often work is approved anyway: 0 to 1, in millionths (J of behaviour 17.10).
 * Someone who approves everything is right as often as work is sound, and yet has next to nothing.
 * @example judgementOf({ approvedRight: 0, approvedWrong: 0, rejectedRight: 0, rejectedWrong: 0 }) // 700_000
 */
export function judgementOf({ approvedRight, approvedWrong, rejectedRight, rejectedWrong }: Judged): number {
  const rate = (right: number, wrong: number) => ratio(whole(10 * right + 34), whole(10 * (right + wrong) + 40))
  return toMillionths(max(0n, rate(approvedRight, rejectedWrong) + rate(rejectedRight, approvedWrong) - one))
}
