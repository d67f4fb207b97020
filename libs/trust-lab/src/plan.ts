import { parseArgs } from 'node:util'
import { currentVersion, shadowVersion, tunings } from '@carapace/formula'
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
  /** The number of the first seed: a formula is judged by seeds that it was not tuned on. */
  from: number
  workers: number
  /** Put the tables into docs/trust.md. */
  write: boolean
}

/** Formulas that a run compares in every cell; the others only where `--full` says so, and under these attacks in the first market. */
const compared = [currentVersion, shadowVersion].map(version => `v${version}`)
/** Never in force: run where they are named. */
const superseded = Object.keys(tunings)
  .map(version => `v${version}`)
  .filter(name => !compared.includes(name))
const wellKnown = new Set(['none', 'ring', 'bridge', 'whitewash', 'wash', 'traitor 60'])
/** The market with the fewest gigs, so the quickest: attacks outside of the table of a release run there alone. */
const smallest = 'thin'
/** Attacks of the table of a release. In the usual run the well known ones are in each market, these in the first. */
const released = new Set([
  ...[...wellKnown, 'lane', 'bonded whitewash', 'pump 6', 'pump 20', 'real buyers 1', 'real buyers 6', 'real buyers 12'],
  ...[
    'real buyers 12 raise 30',
    'real buyers 2 raise 30 own first',
    'sellers bridge 4 raise 3',
    'sellers bridge 4 raise 20',
    'sellers bridge 8 raise 60',
  ],
  ...['bad-mouthing', 'lazy validators'],
  ...['launch pump 6', 'launch pump 20', 'launch pump 60', 'launch pump 12 in 4 rounds', 'launch pump 12 in 6 rounds'],
  ...['launch pump 12 raises 10', 'launch pump 12 raises 30'],
])

/** Seeds of a cell: what five minutes on two cores are enough for, the table of a release, and all night. */
const seedsOf = ({ full, write }: { full: boolean; write: boolean }): number => (full ? 24 : write ? 12 : 2)

/** @throws for a name that nothing has */
export function planOf(args: readonly string[], attacks: readonly string[]): Plan {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const options = { full: flag, write: flag, seeds: text, from: text, workers: text, markets: text, attacks: text, formulas: text }
  const { values } = parseArgs({ args: [...args], options })
  const chosen = (all: readonly string[], given: string | undefined, usual: readonly string[] = all) => {
    const names = given?.split(',') ?? usual
    const unknown = names.find(name => !all.includes(name))
    if (unknown) throw new Error(`Unknown: ${unknown}; there are ${all.join(', ')}`)
    return names
  }
  const isSeen = (name: string) => !markets[name]!.isExtra && (values.full || values.write || !markets[name]!.isHeldOut)
  const inMarkets = chosen(Object.keys(markets), values.markets, Object.keys(markets).filter(isSeen))
  const byFormulas = chosen(
    Object.keys(formulas),
    values.formulas,
    Object.keys(formulas).filter(name => !superseded.includes(name)),
  )
  const isShown = ({ market, attack }: Cell) => market === inMarkets[0] && wellKnown.has(attack)
  const isUsual = ({ market, attack }: Cell) =>
    wellKnown.has(attack) || (released.has(attack) ? market === inMarkets[0] : market === (inMarkets.includes(smallest) ? smallest : inMarkets[0]))
  const isReleased = (cell: Cell) => (values.write ? released.has(cell.attack) : isUsual(cell))
  const isCompared = (cell: Cell) => (values.attacks || isReleased(cell)) && (values.formulas || compared.includes(cell.formula))
  const isRun = (cell: Cell) => values.full || isCompared(cell) || (!values.write && isShown(cell))
  const cells = inMarkets.flatMap(market =>
    chosen(attacks, values.attacks).flatMap(attack => byFormulas.map(formula => ({ market, attack, formula }))),
  )
  return {
    cells: cells.filter(isRun),
    seeds: Number(values.seeds ?? seedsOf(values)),
    from: Number(values.from ?? 0),
    workers: Number(values.workers ?? 2),
    write: values.write,
  }
}
