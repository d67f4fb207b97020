/** Platform clock minus wall clock, ms: a sandbox moves it. */
const offsetMs = Number(document.documentElement.dataset.clockOffset ?? 0)
const now = (): number => Date.now() + offsetMs

/** Counts down what lies ahead, once a second, and lets the other moments of the page grow older. */
export function renewTimes(): void {
  const tick = () => {
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
      const seconds = Math.round((Date.parse(time.dateTime) - now()) / 1000)
      const text = time.dataset.countdown === undefined ? relative(seconds) : seconds > 0 ? `in ${inParts(seconds)}` : 'now: it is due'
      if (time.textContent !== text) time.textContent = text
    }
  }
  tick()
  setInterval(tick, 1_000)
}

/** @example inParts(3725) === '1 h 2 min' */
function inParts(seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600), Math.floor((seconds % 3_600) / 60)]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const inWords = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** In the words of the server. @example relative(-10_800) === '3 hours ago' */
function relative(seconds: number): string {
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? []
  if (unit === undefined) return seconds > 0 ? 'in less than a minute' : 'just now'
  return inWords.format(Math.trunc(seconds / length!), unit)
}
