import type { FigureName, Row } from './rows.ts'
import { columns, textsOf } from './table.ts'

const colours = ['#c2410c', '#0f766e', '#6d28d9', '#64748b', '#a16207', '#be185d'] as const
const plots: readonly { name: FigureName; title: string }[] = [
  { name: 'bayesShare', title: 'Share of what a Bayes learner reaches' },
  { name: 'won', title: 'Share of gigs that attackers win' },
  { name: 'feesPerPoint', title: 'Fees that a point costs, USDC' },
]
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

/** The whole report as one page without scripts or other files. */
export function htmlOf(rows: readonly Row[], titles: ReadonlyMap<string, string>, seeds: number): string {
  const markets = [...new Set(rows.map(({ market }) => market))]
  const formulas = [...new Set(rows.map(({ formula }) => formula))]
  const legend = formulas.map((formula, at) => `<span style="color:${colours[at]}">■ ${formula}</span>`).join(' ')
  const body = markets.map(market => {
    const here = rows.filter(row => row.market === market)
    const head = ['attack', 'formula', ...columns.map(({ title }) => title)].map(title => `<th>${title}</th>`).join('')
    const lines = here.map(row => `<tr>${[row.attack, row.formula, ...textsOf(row)].map(text => `<td>${text}</td>`).join('')}</tr>`)
    return [
      `<h2>${market}</h2>`,
      ...plots.map(({ name, title }) => `<h3>${title}</h3>${plotOf(here, formulas, name)}`),
      `<table><tr>${head}</tr>${lines.join('\n')}</table>`,
    ].join('\n')
  })
  const list = [...titles].map(([name, title]) => `<li><b>${name}</b>: ${escaped(title)}</li>`).join('\n')
  const style =
    'body{font:14px system-ui;margin:2em}table{border-collapse:collapse}td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:left}'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Attack lab</title><style>${style}</style>
<h1>Attack lab</h1><p>${seeds} seeds a cell, bars of 95 %. ${legend}</p><ul>${list}</ul>
${body.join('\n')}</html>\n`
}

/** One figure of a market: a point with its interval for each formula, attack by attack. */
function plotOf(rows: readonly Row[], formulas: readonly string[], name: FigureName): string {
  const shown = rows.flatMap(row => (row.figures[name] ? [{ ...row, estimate: row.figures[name] }] : []))
  if (shown.length === 0) return '<p>none</p>'
  const attacks = [...new Set(shown.map(({ attack }) => attack))]
  const most = Math.max(...shown.map(({ estimate }) => estimate.mean + estimate.half), 0.01)
  const least = Math.min(0, ...shown.map(({ estimate }) => estimate.mean - estimate.half))
  const [left, width, lineHeight] = [170, 620, 9]
  const x = (value: number) => (left + (width * (value - least)) / (most - least)).toFixed(1)
  const height = attacks.length * (formulas.length + 1) * lineHeight + 30
  const marks = shown.map(({ attack, formula, estimate: { mean, half } }) => {
    const at = formulas.indexOf(formula)
    const y = (attacks.indexOf(attack) * (formulas.length + 1) + at + 1) * lineHeight
    return `<g stroke="${colours[at]}" fill="${colours[at]}"><line x1="${x(mean - half)}" x2="${x(mean + half)}" y1="${y}" y2="${y}"/><circle cx="${x(mean)}" cy="${y}" r="3"/></g>`
  })
  const names = attacks.map(
    (attack, at) => `<text x="4" y="${(at * (formulas.length + 1) + (formulas.length + 1) / 2) * lineHeight + 4}">${attack}</text>`,
  )
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(share => {
    const value = least + share * (most - least)
    return `<line x1="${x(value)}" x2="${x(value)}" y1="0" y2="${height - 18}" stroke="#eee"/><text x="${x(value)}" y="${height - 4}" text-anchor="middle">${value.toPrecision(2)}</text>`
  })
  return `<svg width="${left + width + 40}" height="${height}" font-size="11" role="img">${ticks.join('')}${names.join('')}${marks.join('')}</svg>`
}
