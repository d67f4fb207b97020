import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { explain } from './explain.ts'
import { example, now } from './testing/example.fixture.ts'
import { tunings } from './tunings.ts'
import type { Decimal } from './v2/decimal.ts'
import { stateOf } from './v2/formula.ts'
import { figuresOf } from './v2/score.ts'

const page = readFileSync(new URL('../../../docs/trust.md', import.meta.url), 'utf8')
const fixed = (value: Decimal, digits: number): string => (Number(value) / 1e18).toFixed(digits)

describe('the worked example of docs/trust.md', () => {
  const { quality } = figuresOf(stateOf(example), now, tunings['6'])
  const { parts, penalty, fusedScore, tier, start } = explain('6', example, now)
  const holds = (lines: readonly string[]) => {
    for (const line of lines) assert.ok(page.split('\n').includes(line), `docs/trust.md has no line "${line}"`)
  }

  it('has the payers and their credits', () => {
    for (const { counterparty, feesPaid, weight, credit, word } of quality.credits) {
      const row = page.split('\n').find(line => line.startsWith(`| ${counterparty.toUpperCase()} |`))
      assert.ok(row?.endsWith(`| ${fixed(feesPaid, 2)} | ${fixed(weight, 3)} | ${fixed(credit, 3)} | ${fixed(word, 3)} |`), row)
    }
  })

  it('has the steps', () => {
    const { credit, perWeight, settled, failed, chance, bound, size, form, quality: q, good } = quality
    holds([
      `| D, sum of credits | ${fixed(credit, 4)} |`,
      `| k | ${fixed(perWeight, 4)} |`,
      `| S, F | ${fixed(settled, 4)}, ${fixed(failed, 4)} |`,
      `| p | ${fixed(chance, 4)} |`,
      `| bound | ${fixed(bound, 4)} |`,
      `| size, form | ${fixed(size, 4)}, ${fixed(form, 4)} |`,
      `| Q | ${fixed(q, 4)} |`,
      `| g | ${fixed(good, 4)} |`,
    ])
  })

  it('has the components, what they add, and what the first comes from', () => {
    holds(Object.entries(parts).map(([name, { value, points }]) => `| ${name} | ${value.toFixed(1)} | ${points.toFixed(4)} |`))
    holds(parts.gigPerformance.contributions.map(({ text, points }) => `| ${text} | ${points.toFixed(3)} |`))
    const added = Object.values(parts).reduce((sum, { points }) => sum + points, 0)
    assert.ok(page.includes(`${start} + ${added.toFixed(4)} − ${penalty} = ${fusedScore}: ${tier}.`))
  })
})
