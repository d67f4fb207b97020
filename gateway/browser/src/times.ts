import { distance } from './distance.ts'

/** Platform clock minus wall clock, ms: a sandbox moves it. */
const offsetMs = Number(document.documentElement.dataset.clockOffset ?? 0)
const now = (): number => Date.now() + offsetMs

/** Counts down what lies ahead, once a second, and lets the other moments of the page grow older. */
export function renewTimes(): void {
  const tick = () => {
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
      const seconds = Math.round((Date.parse(time.dateTime) - now()) / 1000)
      const text = time.dataset.countdown === undefined ? distance(seconds) : seconds > 0 ? `in ${inParts(seconds)}` : 'now: it is due'
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
