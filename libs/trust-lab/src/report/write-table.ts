import { readFileSync, writeFileSync } from 'node:fs'
import type { Row } from './rows.ts'
import { tablesOf } from './table.ts'

const begin = '<!-- lab: npm run lab -- --write -->'
const end = '<!-- lab: end -->'

/** Replaces what is between the two marks of a page, and says which seeds it is of. @throws for a page without them */
export function writeTable(file: string, rows: readonly Row[], plan: { seeds: number; from: number }): void {
  const page = readFileSync(file, 'utf8')
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no marks ${begin} … ${end}`)
  const text = `${begin}\n${plan.seeds} seeds a cell, from ${plan.from} on, ± half of the 95 % interval.\n\n${tablesOf(rows)}`
  writeFileSync(file, page.slice(0, from) + text + page.slice(to))
}
