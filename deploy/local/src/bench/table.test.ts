import assert from 'node:assert/strict'
import type { Line } from './lines.ts'
import { rowOf, tableOf } from './table.ts'

const more: Line = { what: 'a rate', limit: 'the most', better: 'more', unit: '', goal: 0.8, floor: 0.5 }
const less: Line = { what: 'a cost', limit: 'the least', better: 'less', goal: 2.5, floor: 4, unit: ' s' }

describe('a line of the table of benches', () => {
  const cases: [line: Line, values: number[], met: string, isBelowFloor: boolean][] = [
    [more, [0.7, 0.9, 0.8], 'met', false],
    [more, [0.7], 'not met', false],
    [more, [0.49, 0.9, 0.4], 'FAIL, floor ≥ 0.5', true],
    [less, [2.5, 9, 1], 'met', false],
    [less, [4], 'not met', false],
    [less, [4.1], 'FAIL, floor ≤ 4', true],
    [less, [], 'FAIL, floor ≤ 4', true],
    [more, [Number.NaN], 'FAIL, floor ≥ 0.5', true],
  ]
  for (const [line, values, met, isBelowFloor] of cases)
    it(`of ${line.what} ${values.join(', ') || 'that was not measured'}: ${met}`, () => {
      const row = rowOf(line, values)

      assert.deepEqual([row.cells[5], row.isBelowFloor], [met, isBelowFloor])
    })

  it('is not judged on a busy machine where it is no ratio', () => {
    const slow = (line: Line) => rowOf(line, [100], false)
    const cases = [slow(less), slow({ ...less, unit: '' })].map(({ cells, isBelowFloor }) => [cells[5], isBelowFloor])

    assert.deepEqual(cases, [
      ['busy machine', false],
      ['FAIL, floor ≤ 4', true],
    ])
  })

  it('shows median, spread and goal', () => {
    assert.deepEqual(rowOf(less, [2, 3, 2.25]).cells.slice(0, 5), ['a cost', 'the least', '2.25 s', '2 to 3', '≤ 2.5 s'])
    assert.equal(tableOf([rowOf(more, [1])]).split('\n').length, 3)
  })
})
