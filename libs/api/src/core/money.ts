/** Amounts inside the system are bigint micro-USDC (1 USDC = 1,000,000 µ). This file is the only border to decimal USDC. */

export const MICRO = 1_000_000n
const decimals = /^(\d{1,10})(?:\.(\d{1,6}))?$/

/**
 * Micro-USDC of a JSON number of whole USDC, by its decimal text, never by float arithmetic.
 * @returns undefined if it is negative, has more than 6 decimals or is above 1,000,000,000
 * @example parseUsd(12.345678) === 12_345_678n
 */
export function parseUsd(usdc: number): bigint | undefined {
  const match = decimals.exec(String(usdc))
  if (!match) return undefined
  const micro = BigInt(match[1]!) * MICRO + BigInt((match[2] ?? '').padEnd(6, '0'))
  return micro <= 1_000_000_000n * MICRO ? micro : undefined
}

/** Whole USDC as a JSON number: the exact double nearest to the decimal text. @example usd(12_345_678n) === 12.345678 */
export function usd(micro: bigint): number {
  return Number(decimalText(micro))
}

/** `"<n> USDC"` with 2 to 6 decimals. @example formatUsdc(12_500_000n) === '12.50 USDC' */
export function formatUsdc(micro: bigint): string {
  const [whole, fraction = ''] = decimalText(micro).split('.')
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')} USDC`
}

/** The fee on an amount: floor((amount × bp + 5000) / 10000), rounded half up once. Source: behaviour, "Rounding". */
export function feeOf(amountMicro: bigint, basisPoints: number): bigint {
  return (amountMicro * BigInt(basisPoints) + 5_000n) / 10_000n
}

function decimalText(micro: bigint): string {
  const sign = micro < 0n ? '-' : ''
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0')
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
