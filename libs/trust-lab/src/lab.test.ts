import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Dated, type Lane, lanes, startScore } from '@carapace/formula'
import { riskOf, slashFact } from '@carapace/reputation/rules'
import { allAttacks } from './attacks.ts'
import type { Book, Formula } from './formulas/book.ts'
import { formulas } from './formulas/formulas.ts'
import { auc } from './judges.ts'
import { type Market, marketOf, markets } from './markets.ts'
import { planOf } from './plan.ts'
import { newPopulation, type Population } from './population.ts'
import { htmlOf } from './report/html.ts'
import { estimateOf, rowsOf } from './report/rows.ts'
import { tablesOf } from './report/table.ts'
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
  for (const formula of ['v1', 'v6'])
    it(`gives the same figures for the same seed by ${formula}, under every attack`, () => {
      for (const [name, attack] of attacks) {
        const figures = run(tiny, attack, formulas[formula]!, name)
        assert.deepEqual(run(tiny, attack, formulas[formula]!, name), figures, name)
        for (const [figure, value] of Object.entries(figures)) assert.ok(Number.isFinite(value), `${name}: ${figure} is ${value}`)
      }
      // nothing but computing: on a busy machine it lasts minutes
    }).timeout(300_000)

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
    assert.ok(!marketsOf('--write').has('drawn') && marketsOf('--markets', 'drawn').has('drawn'))
    assert.throws(() => planOf(['--attacks', 'unheard-of'], ['none']), /Unknown/)
    assert.deepEqual(
      [[], ['--write'], ['--full']].map(args => planOf(args, ['none']).seeds),
      [2, 12, 24],
    )
    assert.deepEqual(
      [[], ['--from', '7000']].map(args => planOf(args, ['none']).from),
      [0, 7000],
    )
  })

  it('draws another market for each seed, and the same one for the same seed', () => {
    const facts = ['drawn/ring/1', 'drawn/none/1', 'drawn/ring/2'].map(seed => JSON.stringify(marketOf('drawn', seed)))

    assert.equal(facts[0], facts[1])
    assert.notEqual(facts[0], facts[2])
  })

  it('runs the best known attacks in each market, those of the table of the release in the first, and the others in the smallest one, unless they are named', () => {
    const cellsOf = (...args: string[]) => planOf(args, ['wash', 'pump 6', 'idle']).cells
    const marketsOf = (attack: string, ...args: string[]) =>
      cellsOf(...args)
        .filter(cell => cell.attack === attack && cell.formula === 'v6')
        .map(({ market }) => market)

    assert.deepEqual([marketsOf('wash'), marketsOf('pump 6'), marketsOf('idle')], [['paper', 'thin', 'spread'], ['paper'], ['thin']])
    assert.equal(marketsOf('pump 6', '--write').length, 4)
    assert.deepEqual(
      [marketsOf('idle', '--attacks', 'idle').length, marketsOf('idle', '--full').length, marketsOf('idle', '--write').length],
      [3, 4, 0],
    )
  })

  it('ranks the lane for new agents by the scores of the market, or as the formula says', () => {
    const lane = attacks.get('lane')!
    const hiredAt = (ranked: Lane, score: number) => {
      const scored = scoredBy(agentId => (Number(agentId.replace('worker', '')) < tiny.workers ? score : 15))
      return run({ ...tiny, days: 100, newWorkers: 1 }, lane, { ...scored, lane: ranked }, 'lane').firstGigIn10!
    }
    const [low, middle, high] = [15, 50, 100].map(rankedAs => hiredAt({ kind: 'fixed', rankedAs }, 60))

    assert.ok(high! > middle! && middle! > low!, String([low, middle, high]))
    assert.ok(hiredAt(lanes['5'], 60) > middle! && hiredAt(lanes['5'], 90) > middle!)
  })
})

describe('what the lab records', () => {
  type Noted = Parameters<Book['note']>[1]
  /** A market in which everybody fails, and the facts that formula 1 gets. */
  const failures = () => {
    const noted: Noted[] = []
    const spied: Formula = {
      title: 'test',
      start: anchors => {
        const book = formulas.v1!.start(anchors)
        return {
          ...book,
          note: (agentId, fact) => {
            noted.push(fact)
            book.note(agentId, fact)
          },
        }
      },
    }
    run({ ...tiny, quality: () => 0.3, budget: () => 200 }, none, spied, 'failures')
    return noted
  }

  it('of a slash is what the service records of one by a verdict', () => {
    const slashes = failures().filter(fact => fact.type === 'slash')

    assert.ok(slashes.length > 0)
    for (const { at, ...fact } of slashes) {
      const validationId = randomUUID()
      assert.deepEqual(fact, slashFact({ slashId: fact.slashId, status: 'APPLIED', amount: BigInt(fact.amount), validationId }))
      assert.equal(fact.cause, 'verdict', String(at))
    }
  })

  it('has the risk and the ties that the services draw by', () => {
    const population = newPopulation(tiny, none, formulas.v1!, 'records')
    const [poster, worker] = [population.join({ kind: 'poster' }), population.join({ kind: 'worker', bond: 100 })]
    const { records } = population
    assert.deepEqual([records.riskOf(worker.id, population.now()), records.lastPaid(worker.id, poster.id)], [0, undefined])

    population.deal(poster, worker, 200, { verdict: true })
    population.deal(poster, worker, 200, { verdict: false })

    assert.ok(records.lastPaid(worker.id, poster.id))
    // a slash in the last 90 days 15, one of two gigs failed 12.5
    assert.equal(records.riskOf(worker.id, population.now()), 28)
  })

  it('has no risk of an agent that is at work and has not failed, and the whole one as soon as it has', () => {
    const population = newPopulation(tiny, none, formulas.v6!, 'risk')
    const [poster, worker] = [population.join({ kind: 'poster' }), population.join({ kind: 'worker' })]
    const facts: Dated[] = [{ type: 'registered', at: population.now() }]
    for (; population.day < 40; population.nextDay()) {
      if (population.day % 10 === 0) population.book.note(worker.id, { type: 'seen', at: population.now() })
      if (population.day % 10 === 0) facts.push({ type: 'seen', at: population.now() })
      if (population.day % 9 === 0) population.deal(poster, worker, 20, { verdict: true })
    }
    assert.equal(population.records.riskOf(worker.id, population.now()), riskOf(facts, population.now()).riskScore)

    population.deal(poster, worker, 20, { verdict: false })
    // one failure and five payments of the same poster: 25/6
    assert.equal(population.records.riskOf(worker.id, population.now()), 4)
  })

  it('draws validators of formula 1 by how they judge, as the product does', () => {
    const book = formulas.v1!.start([])
    const at = new Date()
    for (let n = 0; n < 20; n++) book.voted('lazy', { validationId: `v${n}`, choice: 'approve', verdict: n < 5 ? 'rejected' : 'approved' }, at)

    assert.equal(book.judgement!('lazy', at), 0.346198)
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

  it('say by which of them the next formula is better or worse, a price by its logarithm', () => {
    const cells = ['v1', 'v6'].map(formula => ({ market: 'paper', attack: 'pump 20', formula }))
    const now = { outlayPerPoint: 40, feesPerPoint: 1, seats: 0.2, firstGigIn10: 0.5, wrongVerdicts: 0.1 }
    // of such prices the mean is not beyond its interval, that of their logarithms is
    const next = [20, 200, 40].map(feesPerPoint => ({ ...now, feesPerPoint, outlayPerPoint: 39, seats: 0.1, wrongVerdicts: 0.2 }))
    const tasks = [0, 0, 0, 1, 1, 1].map(n => ({ n }))
    const text = tablesOf(rowsOf(cells, tasks, [now, now, now, ...next]))

    assert.match(text, /v6 is better than v1 beyond the interval: pump 20 \(fees a point, seats\)\./)
    assert.match(text, /v6 is worse than v1 beyond the interval: pump 20 \(outlay a point, wrong verdicts\)\./)
  })

  it('have no points of a pump that are of judging the work of others', () => {
    const population = newPopulation({ ...tiny, panels: 1 }, attacks.get('pump 6')!, formulas.v1!, 'seats')
    for (let n = 0; n < 12; n++) population.join({ kind: n < 6 ? 'attacker' : 'worker', isHireable: false })
    const [poster, worker] = [population.join({ kind: 'poster' }), population.join({ kind: 'worker' })]
    for (let n = 0; n < 20; n++) population.deal(poster, worker, 20)

    const seatsOf = (kind: string) => population.members.filter(member => member.kind === kind).reduce((sum, { seats }) => sum + seats, 0)
    assert.ok(seatsOf('worker') > 0)
    assert.equal(seatsOf('attacker'), 0)
  })

  it('bound what a launch pump costs by any formula that treats all alike: a copy of the honest market pays what that one pays', () => {
    let fees = 0
    let points = 0
    const counted: Formula = {
      title: 'test',
      start: anchors => {
        const book = formulas.v6!.start(anchors)
        return {
          ...book,
          settled: (deal, at) => {
            fees += Number(deal.fee) / 1e6
            book.settled(deal, at)
          },
        }
      },
    }
    const measured = {
      ...none,
      daily: (population: Population, day: number) => {
        if (day === 59) points = population.members.reduce((sum, member) => sum + Math.max(0, population.score(member) - startScore), 0)
      },
    }
    run({ ...markets.paper!, days: 60 }, measured, counted, 'copy')

    // the goal for pumps is 10 USDC a point: honest agents would have to have a tenth of their points
    assert.ok(fees / points < 2, `${fees} USDC for ${points} points`)
  })

  it('are a page without scripts', () => {
    const cells = [{ market: 'paper', attack: 'none', formula: 'v1' }]
    const page = htmlOf(rowsOf(cells, [{ n: 0 }, { n: 0 }], [{ bayesShare: 0.9 }, { bayesShare: 0.8 }]), new Map([['none', 'a < b']]), 2)

    assert.match(page, /<svg[^>]*>.*<circle/s)
    assert.match(page, /a &lt; b/)
    assert.doesNotMatch(page, /<script|src=/)
  })
})
