import assert from 'node:assert/strict'
import type { ScoreChange } from '@carapace/projections'
import { mayMove } from './candidate-list.ts'

describe('a change of the score', () => {
  const changed = (previousScore: number, fusedScore: number, previousRisk: number | undefined, riskScore: number) =>
    ({ previousScore, fusedScore, previousRisk, riskScore }) as ScoreChange
  const table: [string, ScoreChange, boolean][] = [
    ['within what a candidate needs', changed(15, 40, 0, 60), false],
    ['below it', changed(14, 3, 0, 0), false],
    ['of an agent whose risk is too high', changed(10, 40, 61, 61), false],
    ['up to the score', changed(14.9, 15, 0, 0), true],
    ['below the score', changed(15, 14.9, 0, 0), true],
    ['above the risk', changed(40, 40, 60, 61), true],
    ['back to the risk', changed(40, 40, 61, 60), true],
    ['from an unknown risk', changed(40, 41, undefined, 0), true],
  ]
  for (const [title, event, expected] of table)
    it(`${title} ${expected ? 'may move the agent' : 'moves nobody'} in the list of candidates`, () => {
      assert.equal(mayMove(event), expected)
    })
})
