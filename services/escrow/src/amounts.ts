/** Sum of amounts in micro-USDC. */
export function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}

/** Sum of what the parts amount to, in micro-USDC. */
export const amountOf = (parts: readonly { amount: bigint }[]): bigint => sum(parts.map(({ amount }) => amount))

/** The smallest of amounts in micro-USDC. */
export function least(first: bigint, ...others: bigint[]): bigint {
  let smallest = first
  for (const amount of others) if (amount < smallest) smallest = amount
  return smallest
}

/** The larger of two amounts in micro-USDC. */
export const greatest = (first: bigint, second: bigint): bigint => (first > second ? first : second)
