import { median } from '@carapace/testing'
import type { Line } from './lines.ts'

export interface Row {
  cells: [what: string, limit: string, measured: string, spread: string, goal: string, met: string]
  isBelowFloor: boolean
}

/**
 * A line of the table; one that was not measured is below its floor.
 * @param isQuiet a busy machine stretches what is no ratio: such a line is then not judged
 */
export function rowOf({ what, limit, unit, better, goal, floor }: Line, values: readonly number[], isQuiet = true): Row {
  const measured = median(values)
  const sign = better === 'more' ? '≥' : '≤'
  const reaches = (bound: number) => (better === 'more' ? measured >= bound : measured <= bound)
  const isJudged = values.length === 0 || isQuiet || unit === ''
  const isBelowFloor = isJudged && (values.length === 0 || (floor !== undefined && !reaches(floor)))
  const spread = values.length > 1 ? `${shown(Math.min(...values))} to ${shown(Math.max(...values))}` : ''
  const met = isBelowFloor
    ? `FAIL, floor ${floor === undefined ? 'none yet' : `${sign} ${shown(floor)}`}`
    : !isJudged
      ? 'busy machine'
      : reaches(goal)
        ? 'met'
        : 'not met'
  const result = values.length === 0 ? 'not measured' : shown(measured) + unit
  return { cells: [what, limit, result, spread, `${sign} ${shown(goal)}${unit}`, met], isBelowFloor }
}

/** As Markdown, so that docs/performance.md can have it as it is. */
export function tableOf(rows: readonly Row[]): string {
  const all = [['What', 'Limit', 'Measured', 'Spread', 'Goal', ''], ...rows.map(({ cells }) => cells)]
  const widths = all[0]!.map((_, at) => Math.max(...all.map(cells => cells[at]!.length)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  return [line(all[0]!), line(widths.map(width => '-'.repeat(width))), ...all.slice(1).map(line)].join('\n')
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return 'none'
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2).replace(/\.?0+$/, '')
}
