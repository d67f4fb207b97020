import type { Cell } from '../plan.ts'
import type { Figures } from '../run.ts'

/** A mean with half the width of its 95 % interval. */
export interface Estimate {
  mean: number
  half: number
}
export type FigureName = keyof Figures

export interface Row extends Cell {
  figures: Partial<Record<FigureName, Estimate>>
  /** The figures of each seed, in order: formulas are compared seed by seed. */
  runs: Figures[]
}

/** Two-sided 95 % of Student's t, by degrees of freedom; 1.96 above. */
const student = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1, 2.09, 2.09, 2.08, 2.07, 2.07,
] as const

/** @example estimateOf([1, 2, 3]) // { mean: 2, half: 2.48 } */
export function estimateOf(values: readonly number[]): Estimate {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  if (n < 2) return { mean, half: 0 }
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)
  return { mean, half: (student[n - 2] ?? 1.96) * Math.sqrt(variance / n) }
}

export function rowsOf(cells: readonly Cell[], tasks: readonly { n: number }[], figures: readonly Figures[]): Row[] {
  return cells.map((cell, n) => {
    const runs = figures.filter((_, at) => tasks[at]!.n === n)
    const names = [...new Set(runs.flatMap(run => Object.keys(run) as FigureName[]))]
    const estimates = names.map(name => [name, estimateOf(runs.flatMap(run => run[name] ?? []))] as const)
    return { ...cell, figures: Object.fromEntries(estimates), runs }
  })
}

/** What a formula has more than another in the same cell, seed by seed, on a scale. */
export function differenceOf(row: Row, other: Row, name: FigureName, scale: (value: number) => number = value => value): Estimate | undefined {
  const differences = row.runs.flatMap((run, at) => {
    const [a, b] = [run[name], other.runs[at]?.[name]]
    return a === undefined || b === undefined ? [] : [scale(a) - scale(b)]
  })
  return differences.length ? estimateOf(differences) : undefined
}
