import { currentVersion, shadowVersion } from '@carapace/formula'
import { differenceOf, type FigureName, type Row } from './rows.ts'

/** The columns of every table: how a figure is called and written. */
export const columns: readonly { name: FigureName; title: string; text(value: number): string; withHalf?: true }[] = [
  { name: 'share', title: 'of the limit', text: value => value.toFixed(3), withHalf: true },
  { name: 'bayesShare', title: 'of Bayes', text: value => value.toFixed(3), withHalf: true },
  { name: 'won', title: 'won by attackers', text: value => `${(100 * value).toFixed(1)} %`, withHalf: true },
  { name: 'wonGigs', title: 'gigs won', text: value => value.toFixed(0) },
  { name: 'feesPerPoint', title: 'fees a point', text: value => value.toFixed(1) },
  { name: 'outlayPerPoint', title: 'outlay a point', text: value => value.toFixed(1) },
  { name: 'firstGigDays', title: 'first gig, days', text: value => value.toFixed(0) },
  { name: 'firstGigIn10', title: 'in 10 days', text: value => `${(100 * value).toFixed(0)} %` },
  { name: 'wrongVerdicts', title: 'wrong verdicts', text: value => `${(100 * value).toFixed(1)} %` },
  { name: 'seats', title: 'seats', text: value => value.toFixed(2) },
  { name: 'breakEven', title: 'break-even', text: value => value.toFixed(1) },
]

/** One row of a table as texts, empty where the run has no such figure. */
export const textsOf = ({ figures }: Row): string[] =>
  columns.map(({ name, text, withHalf }) => {
    const estimate = figures[name]
    if (!estimate) return ''
    return withHalf ? `${text(estimate.mean)} ±${text(estimate.half).replace(/^0/, '').replace(' %', '')}` : text(estimate.mean)
  })

/** One Markdown table for each market. */
export function tablesOf(rows: readonly Row[]): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`
  const titles = ['attack', 'formula', ...columns.map(({ title }) => title)]
  return [...new Set(rows.map(({ market }) => market))]
    .map(market => {
      const body = rows.filter(row => row.market === market).map(row => line([row.attack, row.formula, ...textsOf(row)]))
      return [`### Market: ${market}`, '', line(titles), line(titles.map(() => '---')), ...body, '', ...comparison(rows, market), ''].join('\n')
    })
    .join('\n')
}

const [older, newer] = [currentVersion, shadowVersion].sort((a, b) => Number(a) - Number(b)).map(version => `v${version}`) as [string, string]

/** In which attacks the newer of the formula in force and its shadow is better or worse, beyond the interval of the differences seed by seed. */
function comparison(rows: readonly Row[], market: string): string[] {
  const rowOf = (attack: string, formula: string) => rows.find(row => row.market === market && row.attack === attack && row.formula === formula)
  const attacks = [...new Set(rows.filter(row => row.market === market).map(({ attack }) => attack))]
  const judged = attacks.flatMap(attack => {
    const [before, next] = [rowOf(attack, older), rowOf(attack, newer)]
    return before && next ? sidesOf(next, before).map(found => ({ attack, ...found })) : []
  })
  const isCompared = attacks.some(attack => rowOf(attack, older) && rowOf(attack, newer))
  const listed = (side: string) => {
    const found = judged.filter(one => one.side === side)
    const titlesOf = (attack: string) => found.filter(one => one.attack === attack).map(({ title }) => title)
    return attacks.filter(attack => titlesOf(attack).length > 0).map(attack => `${attack} (${titlesOf(attack).join(', ')})`)
  }
  if (!isCompared) return []
  return ['better', 'worse'].map(side => `${newer} is ${side} than ${older} beyond the interval: ${listed(side).join('; ') || 'nowhere'}.`)
}

/** What of a figure is good, and on which scale seeds are compared. A ratio has a long tail, so it is compared by its logarithm. */
const counted: readonly { name: FigureName; sign: 1 | -1; scale?: (value: number) => number }[] = [
  { name: 'bayesShare', sign: 1 },
  { name: 'won', sign: -1 },
  { name: 'feesPerPoint', sign: 1, scale: Math.log },
  { name: 'outlayPerPoint', sign: 1, scale: Math.log },
  { name: 'firstGigIn10', sign: 1 },
  { name: 'wrongVerdicts', sign: -1 },
  { name: 'seats', sign: -1 },
]
const titleOf = (name: FigureName) => columns.find(column => column.name === name)!.title

const sidesOf = (next: Row, now: Row): { side: 'better' | 'worse'; title: string }[] =>
  counted.flatMap(({ name, sign, scale }) => {
    const difference = differenceOf(next, now, name, scale)
    if (!difference || Math.abs(difference.mean) <= difference.half) return []
    return [{ side: sign * difference.mean > 0 ? ('better' as const) : ('worse' as const), title: titleOf(name) }]
  })
