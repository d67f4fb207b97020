import { plural } from '../format.ts'
import { type Html, html } from '../html.ts'

interface Point {
  score: number
  at: string
}
/** The course of one score. */
export interface Course {
  /** Whose score it is, and how its line is drawn. */
  name: string
  style: 'own' | 'first' | 'second'
  points: readonly Point[]
}

const wide = 640
const high = 200
const margin = { left: 34, right: 12, top: 12, bottom: 24 }
/** A score moves little: the chart shows some room around it, not all from 0 to 100. */
const room = 5

/** Scores as lines, in steps as they were; without a point there is no course. */
export function historyChart(courses: readonly Course[], now: Date): Html | undefined {
  const drawn = courses.filter(({ points }) => points.length > 0)
  const all = drawn.flatMap(({ points }) => points)
  if (all.length === 0) return undefined
  const times = all.map(({ at }) => Date.parse(at))
  const from = Math.min(...times)
  const until = Math.max(now.getTime(), ...times, from + 60_000)
  const [low, top] = rangeOf(all.map(({ score }) => score))
  const x = (at: number) => margin.left + ((at - from) / (until - from)) * (wide - margin.left - margin.right)
  const y = (score: number) => high - margin.bottom - ((score - low) / (top - low)) * (high - margin.top - margin.bottom)
  const marks = [0, 1, 2, 3, 4].map(n => low + (n * (top - low)) / 4)
  return html`<svg class="chart" viewBox="0 0 ${wide} ${high}" role="img" aria-label="${drawn.map(saying).join('; ')}">
${marks.map(score => html`<line class="grid" x1="${margin.left}" x2="${wide - margin.right}" y1="${y(score).toFixed(1)}" y2="${y(score).toFixed(1)}"/><text class="tick" x="${margin.left - 8}" y="${(y(score) + 4).toFixed(1)}" text-anchor="end">${Number.isInteger(score) ? score : score.toFixed(1)}</text>`)}
${drawn.map(course => line(course, x, y, until))}
<text class="tick" x="${margin.left}" y="${high - 6}">${new Date(from).toISOString().slice(0, 10)}</text>
<text class="tick" x="${wide - margin.right}" y="${high - 6}" text-anchor="end">${new Date(until).toISOString().slice(0, 10)}</text>
</svg>${drawn.length > 1 && html`<ul class="legend lines">${drawn.map(({ name, style }) => html`<li class="${style}"><span>${name}</span></li>`)}</ul>`}`
}

const inOrder = (points: readonly Point[]): Point[] => [...points].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))

/** Multiples of the room below and above, at least four of them apart. */
function rangeOf(scores: readonly number[]): [number, number] {
  const low = Math.max(0, Math.floor(Math.min(...scores) / room - 1) * room)
  const top = Math.min(100, Math.ceil(Math.max(...scores) / room + 1) * room)
  return top - low >= 4 * room ? [low, top] : [Math.min(low, 100 - 4 * room), Math.min(low, 100 - 4 * room) + 4 * room]
}

function saying({ name, points }: Course): string {
  const sorted = inOrder(points)
  return `${name} from ${sorted[0]!.score.toFixed(1)} to ${sorted.at(-1)!.score.toFixed(1)} in ${plural(sorted.length, 'step')}`
}

function line({ style, points }: Course, x: (at: number) => number, y: (score: number) => number, until: number): Html {
  const sorted = inOrder(points)
  const [first, ...rest] = sorted
  const path = [
    `M${x(Date.parse(first!.at)).toFixed(1)} ${y(first!.score).toFixed(1)}`,
    ...rest.map(({ score, at }) => `H${x(Date.parse(at)).toFixed(1)}V${y(score).toFixed(1)}`),
    `H${x(until).toFixed(1)}`,
  ].join('')
  const area = style === 'own' && html`<path class="area" d="${path}V${high - margin.bottom}H${x(Date.parse(first!.at)).toFixed(1)}Z"/>`
  return html`${area}<path class="line ${style}" d="${path}"/><circle class="dot ${style}" cx="${x(until).toFixed(1)}" cy="${y(sorted.at(-1)!.score).toFixed(1)}" r="4"/>`
}
