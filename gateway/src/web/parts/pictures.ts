import { type Html, html } from '../html.ts'

const radius = 52
const round = 2 * Math.PI * radius

/** A score of 100 as a ring. */
export function scoreRing(score: number, tier: string): Html {
  const arc = ((Math.max(0, Math.min(100, score)) / 100) * round).toFixed(1)
  return html`<svg class="ring" viewBox="0 0 128 128" width="168" height="168" role="img" aria-label="FusedScore ${score.toFixed(1)} of 100, ${tier}">
<circle class="ring-rest" cx="64" cy="64" r="${radius}"/>
<circle class="ring-arc" cx="64" cy="64" r="${radius}" stroke-dasharray="${arc} ${round.toFixed(1)}" transform="rotate(-90 64 64)"/>
<text class="ring-score" x="64" y="70" text-anchor="middle">${score.toFixed(1)}</text>
<text class="ring-label" x="64" y="88" text-anchor="middle">of 100</text>
</svg>`
}

/** A share of a whole as a bar. @param label what it says to those who do not see it */
export function bar(share: number, label: string, mark?: number): Html {
  const width = (Math.max(0, Math.min(1, share)) * 100).toFixed(1)
  return html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="bar-rest" width="100" height="6" rx="1"/><rect class="bar-part" width="${width}" height="6" rx="1"/>${mark !== undefined && html`<rect class="bar-mark" x="${(mark * 100 - 0.4).toFixed(1)}" width="0.8" height="6"/>`}</svg>`
}

interface Point {
  score: number
  at: string
}
const wide = 640
const high = 180
const margin = { left: 34, right: 12, top: 12, bottom: 24 }

/** The course of a score as a line, steps as they were; below two points there is no course. */
export function historyChart(points: readonly Point[], now: Date): Html | undefined {
  if (points.length === 0) return undefined
  const sorted = [...points].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const last = sorted.at(-1)!
  const from = Date.parse(sorted[0]!.at)
  const until = Math.max(now.getTime(), Date.parse(last.at), from + 60_000)
  const x = (at: number) => margin.left + ((at - from) / (until - from)) * (wide - margin.left - margin.right)
  const y = (score: number) => high - margin.bottom - (score / 100) * (high - margin.top - margin.bottom)
  const line = sorted.map(
    ({ score, at }, i) => `${i === 0 ? 'M' : `H${x(Date.parse(at)).toFixed(1)}V`}${i === 0 ? `${x(from).toFixed(1)} ` : ''}${y(score).toFixed(1)}`,
  )
  const path = `${line.join('')}H${x(until).toFixed(1)}`
  const floor = y(0).toFixed(1)
  return html`<svg class="chart" viewBox="0 0 ${wide} ${high}" role="img" aria-label="FusedScore from ${sorted[0]!.score.toFixed(1)} to ${last.score.toFixed(1)} in ${sorted.length} steps">
${[0, 25, 50, 75, 100].map(score => html`<line class="grid" x1="${margin.left}" x2="${wide - margin.right}" y1="${y(score).toFixed(1)}" y2="${y(score).toFixed(1)}"/><text class="tick" x="${margin.left - 8}" y="${(y(score) + 4).toFixed(1)}" text-anchor="end">${score}</text>`)}
<path class="area" d="${path}V${floor}H${x(from).toFixed(1)}Z"/>
<path class="line" d="${path}"/>
<circle class="dot" cx="${x(until).toFixed(1)}" cy="${y(last.score).toFixed(1)}" r="4"/>
<text class="tick" x="${margin.left}" y="${high - 6}">${sorted[0]!.at.slice(0, 10)}</text>
<text class="tick" x="${wide - margin.right}" y="${high - 6}" text-anchor="end">${new Date(until).toISOString().slice(0, 10)}</text>
</svg>`
}

const shells: Readonly<Record<string, string>> = {
  Hatchling: 'hatchling',
  'Bronze Pinch': 'bronze-pinch',
  'Silver Molt': 'silver-molt',
  'Gold Shell': 'gold-shell',
}

/** The card of an agent, as small as an entry of a list. */
export const miniCard = (tier: string, cardNumber: number | undefined): Html =>
  html`<svg class="mini-card ${shells[tier] ?? 'hatchling'}" viewBox="0 0 60 34" width="60" height="34" aria-hidden="true"><rect width="60" height="34" rx="4"/><rect class="stripe" width="4" height="34" rx="2"/><path class="shell" d="M30 7c7 0 12 5 12 11 0 4-5 8-12 8s-12-4-12-8c0-6 5-11 12-11z"/>${cardNumber !== undefined && html`<text x="55" y="30" text-anchor="end">${cardNumber}</text>`}</svg>`
