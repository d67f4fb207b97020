/** Exact decimal fractions: integers in units of 10⁻¹⁸. What a product or a quotient has beyond is cut off, so that every machine has the same digits. */
export type Decimal = bigint

export const one: Decimal = 10n ** 18n

/** A whole number. */
export const whole = (value: number): Decimal => BigInt(value) * one
/** Millionths, and micro-USDC in USDC. @example millionths(500_000) // one half */
export const millionths = (value: number | bigint | string): Decimal => BigInt(value) * 10n ** 12n
export const toMillionths = (value: Decimal): number => Number(value / 10n ** 12n)

export const times = (a: Decimal, b: Decimal): Decimal => (a * b) / one
/** @example ratio(whole(1), whole(4)) // a quarter */
export const ratio = (a: Decimal, b: Decimal): Decimal => (a * one) / b

export const min = (a: Decimal, b: Decimal): Decimal => (a < b ? a : b)
export const max = (a: Decimal, b: Decimal): Decimal => (a > b ? a : b)
/** valueⁿ/(valueⁿ + halfⁿ): one half at `half`, and the steeper there the larger n is. @example shareAbove(whole(1), whole(1), 6) // one half */
export function shareAbove(value: Decimal, half: Decimal, n: number): Decimal {
  const [part, rest] = [power(value, n), power(half, n)]
  return ratio(part, part + rest)
}
/** valueⁿ @param n 0 or more, a whole number @example power(whole(2), 3) // whole(8) */
export const power = (value: Decimal, n: number): Decimal => (n === 0 ? one : times(power(value, n - 1), value))

/** Not below 0, not above 1. */
export const unit = (value: Decimal): Decimal => max(0n, min(one, value))

/** The square root, cut off after the last digit: Newton's method on integers. */
export function root(value: Decimal): Decimal {
  const square = value * one
  if (square < 2n) return square
  let guess = 1n << BigInt((square.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + square / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

/** Half up to tenths. @example tenths(ratio(whole(1), whole(8))) // 1 */
export const tenths = (value: Decimal): number => Number((value * 10n + one / 2n) / one)
