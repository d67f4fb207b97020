const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const whole = new Intl.NumberFormat('en-US')

/** How far a moment lies from now, in the words of server and browser alike. @example distance(-10_800) === '3 hours ago' */
export function distance(seconds: number): string {
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? []
  if (unit === undefined) return seconds > 0 ? 'in less than a minute' : 'just now'
  const amount = Math.floor(Math.abs(seconds) / length!)
  const words = `${whole.format(amount)} ${unit}${amount === 1 ? '' : 's'}`
  return seconds > 0 ? `in ${words}` : `${words} ago`
}
