import assert from 'node:assert/strict'
import { topicMatches } from './topic.ts'

const cases: readonly [binding: string, key: string, matches: boolean][] = [
  ['a.b', 'a.b', true],
  ['a.b', 'a.b.c', false],
  ['a.b', 'a', false],
  ['a.*', 'a.b', true],
  ['a.*', 'a', false],
  ['a.*', 'a.b.c', false],
  ['*.b', 'a.b', true],
  ['#', '', true],
  ['#', 'a.b.c', true],
  ['a.#', 'a', true],
  ['a.#', 'a.b.c', true],
  ['a.#', 'ab', false],
  ['#.c', 'c', true],
  ['#.c', 'a.b.c', true],
  ['a.#.c', 'a.c', true],
  ['a.#.c', 'a.b.b.c', true],
  ['a.#.c', 'a.b.d', false],
  ['#.b.#', 'a.b.c', true],
  ['*.#', 'a', true],
  ['a.b', 'a.B', false],
  ['a+b', 'aab', false],
]

describe('topicMatches', () => {
  for (const [binding, key, matches] of cases)
    it(`${binding} ${matches ? 'takes' : 'leaves'} "${key}"`, () => {
      assert.equal(topicMatches(binding, key), matches)
    })
})
