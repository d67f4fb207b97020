/** Platform clock minus wall clock, ms: a sandbox moves it. */
const offsetMs = Number(document.documentElement.dataset.clockOffset ?? 0)

/** Counts down what lies ahead, once a second. */
export function countDown(): void {
  const tick = () => {
    for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-countdown]')) {
      const left = Math.round((Date.parse(time.dateTime) - Date.now() - offsetMs) / 1000)
      if (left > 0) time.textContent = `in ${inParts(left)}`
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
