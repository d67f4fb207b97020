import { parseArgs } from 'node:util'
import { formulas } from './formulas/formulas.ts'
import { markets } from './markets.ts'

export interface Cell {
  market: string
  attack: string
  formula: string
}

export interface Plan {
  cells: Cell[]
  seeds: number
  workers: number
  /** Put the tables into docs/trust.md. */
  write: boolean
}

/** Formulas that a run compares in every cell; the others only where `--full` says so, and under these attacks in the first market. */
const compared = ['v1', 'v3']
/** Never in force: run where it is named. */
const superseded = 'v2'
const wellKnown = new Set(['none', 'ring', 'bridge', 'whitewash', 'wash', 'traitor 60'])

/** Seeds of a cell: what five minutes on two cores are enough for, the table of a release, and all night. */
const seedsOf = ({ full, write }: { full: boolean; write: boolean }): number => (full ? 24 : write ? 12 : 2)

/** @throws for a name that nothing has */
export function planOf(args: readonly string[], attacks: readonly string[]): Plan {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const options = { full: flag, write: flag, seeds: text, workers: text, markets: text, attacks: text, formulas: text }
  const { values } = parseArgs({ args: [...args], options })
  const chosen = (all: readonly string[], given: string | undefined, usual: readonly string[] = all) => {
    const names = given?.split(',') ?? usual
    const unknown = names.find(name => !all.includes(name))
    if (unknown) throw new Error(`Unknown: ${unknown}; there are ${all.join(', ')}`)
    return names
  }
  const isSeen = (name: string) => values.full || values.write || !markets[name]!.isHeldOut
  const inMarkets = chosen(Object.keys(markets), values.markets, Object.keys(markets).filter(isSeen))
  const byFormulas = chosen(
    Object.keys(formulas),
    values.formulas,
    Object.keys(formulas).filter(name => name !== superseded),
  )
  const isShown = ({ market, attack }: Cell) => market === inMarkets[0] && wellKnown.has(attack)
  const isRun = (cell: Cell) => values.full || values.formulas || compared.includes(cell.formula) || isShown(cell)
  const cells = inMarkets.flatMap(market =>
    chosen(attacks, values.attacks).flatMap(attack => byFormulas.map(formula => ({ market, attack, formula }))),
  )
  return {
    cells: cells.filter(isRun),
    seeds: Number(values.seeds ?? seedsOf(values)),
    workers: Number(values.workers ?? 2),
    write: values.write,
  }
}
