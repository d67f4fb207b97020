import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { allAttacks } from './attacks.ts'
import type { Formula } from './formulas/book.ts'
import { formulas } from './formulas/formulas.ts'
import { auc } from './judges.ts'
import { type Market, markets } from './markets.ts'
import { planOf } from './plan.ts'
import { htmlOf } from './report/html.ts'
import { estimateOf, rowsOf } from './report/rows.ts'
import { run } from './run.ts'

const attacks = await allAttacks()
const tiny: Market = { ...markets.paper!, workers: 24, posters: 12, days: 50, panels: 0.2 }
const none = attacks.get('none')!

/** Scores by a rule of the test: what an agent's id says. */
const scoredBy = (score: (agentId: string) => number): Formula => ({
  title: 'test',
  start: () => ({ note() {}, settled() {}, failed() {}, voted() {}, inherit() {}, score }),
})

describe('the lab', () => {
  for (const formula of ['v1', 'v2'])
    it(`gives the same figures for the same seed by ${formula}, under every attack`, () => {
      for (const [name, attack] of attacks) {
        const figures = run(tiny, attack, formulas[formula]!, name)
        assert.deepEqual(run(tiny, attack, formulas[formula]!, name), figures, name)
        for (const [figure, value] of Object.entries(figures)) assert.ok(Number.isFinite(value), `${name}: ${figure} is ${value}`)
      }
    })

  it('gives other figures for another seed', () => {
    assert.notDeepEqual(run(tiny, none, formulas.v1!, '1'), run(tiny, none, formulas.v1!, '2'))
  })

  it('ranks one that knows the agents above all, and one that does not know them at the middle', () => {
    // every twentieth worker has the same chance; the prior of the market has drawn a multiple of twenty before
    const chances = Array.from({ length: 20 }, (_, n) => 0.05 + 0.047 * ((n * 7) % 20))
    const marketOf = (): Market => {
      let drawn = 0
      return { ...tiny, days: 200, newWorkers: 0, quality: () => chances[drawn++ % chances.length]! }
    }
    const numberOf = (agentId: string) => Number(agentId.replace('worker', ''))
    const oracle = run(
      marketOf(),
      none,
      scoredBy(agentId => 100 * (chances[numberOf(agentId) % chances.length] ?? 0)),
      'oracle',
    )
    const blind = run(
      marketOf(),
      none,
      scoredBy(agentId => (numberOf(agentId) * 11) % 24),
      'blind',
    )

    assert.ok(oracle.share! > 0.99, String(oracle.share))
    assert.ok(Math.abs(blind.share!) < 0.4, String(blind.share))
  })

  it('finds an attack that is a file of the folder, and nothing else is needed for it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'attacks-'))
    writeFileSync(path.join(folder, 'nap.mjs'), "export default { nap: { title: 'everybody rests' } }\n")
    try {
      const found = await allAttacks(pathToFileURL(`${folder}/`))
      assert.deepEqual([...found], [['nap', { title: 'everybody rests' }]])
      assert.deepEqual(planOf(['--attacks', 'nap', '--markets', 'thin', '--formulas', 'v1'], [...found.keys()]).cells, [
        { market: 'thin', attack: 'nap', formula: 'v1' },
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('has attacks of at most 60 lines', () => {
    const folder = new URL('../src/attacks/', import.meta.url)
    for (const file of readdirSync(folder)) {
      const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n').length
      assert.ok(lines <= 60, `${file} has ${lines}`)
    }
  })

  it('runs a market that no formula was tuned on only when that is requested', () => {
    const heldOut = Object.keys(markets).filter(name => markets[name]!.isHeldOut)
    const marketsOf = (...args: string[]) => new Set(planOf(args, ['none']).cells.map(({ market }) => market))

    assert.ok(heldOut.length > 0 && heldOut.every(name => !marketsOf().has(name) && marketsOf('--write').has(name)))
    assert.throws(() => planOf(['--attacks', 'unheard-of'], ['none']), /Unknown/)
    assert.deepEqual(
      [[], ['--write'], ['--full']].map(args => planOf(args, ['none']).seeds),
      [2, 12, 24],
    )
  })
})

describe('the figures of the lab', () => {
  it('count how often a delivered hire has the higher value, ties half', () => {
    const hires = [0.2, 0.4, 0.4, 0.9].map((score, n) => ({ score, chance: 0, bayes: 0, delivered: n >= 2 }))

    assert.equal(
      auc(hires, hire => hire.score),
      0.875,
    )
  })

  it('have the interval of Student', () => {
    const { mean, half } = estimateOf([1, 2, 3])

    assert.deepEqual([mean, Math.round(100 * half)], [2, 248])
  })

  it('are a page without scripts', () => {
    const cells = [{ market: 'paper', attack: 'none', formula: 'v1' }]
    const page = htmlOf(rowsOf(cells, [{ n: 0 }, { n: 0 }], [{ bayesShare: 0.9 }, { bayesShare: 0.8 }]), new Map([['none', 'a < b']]), 2)

    assert.match(page, /<svg[^>]*>.*<circle/s)
    assert.match(page, /a &lt; b/)
    assert.doesNotMatch(page, /<script|src=/)
  })
})
