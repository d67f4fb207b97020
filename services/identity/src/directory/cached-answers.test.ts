import assert from 'node:assert/strict'
import fc from 'fast-check'
import { cachedAnswers, type Question } from './cached-answers.ts'

interface Entry {
  id: string
  value: number
}

describe('cached answers', () => {
  const byValue = (a: Entry, b: Entry): number => a.value - b.value || (a.id < b.id ? -1 : 1)
  const atLeast = (value: number, key: string | null = String(value)): Question<Entry> => ({ key, holds: one => one.value >= value, order: byValue })
  const ids = fc.constantFrom('a', 'b', 'c', 'd')
  const values = fc.nat(4)
  const step = fc.oneof(fc.record({ put: ids, value: values }), fc.record({ drop: ids }), fc.record({ atLeast: values, isCached: fc.boolean() }))

  it('equal a search of all entries after any changes since the first question', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const entries = new Map<string, Entry>()
        const answers = cachedAnswers<Entry>()
        for (const one of steps) {
          if ('put' in one) {
            const entry = { id: one.put, value: one.value }
            answers.change(entries.get(entry.id), entry)
            entries.set(entry.id, entry)
          } else if ('drop' in one) {
            answers.change(entries.get(one.drop), undefined)
            entries.delete(one.drop)
          } else {
            const question = atLeast(one.atLeast, one.isCached ? undefined : null)
            const expected = [...entries.values()].filter(question.holds).sort(byValue)
            assert.deepEqual(
              answers.to(question, () => entries.values()),
              expected,
            )
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('are computed once, and again after too many other questions', () => {
    const answers = cachedAnswers<Entry>()
    let searches = 0
    const answer = (value: number) =>
      answers.to(atLeast(value), () => {
        searches += 1
        return []
      })
    answer(1)
    answer(1)
    assert.equal(searches, 1)
    for (let value = 2; value < 600; value++) answer(value)
    answer(1)
    assert.equal(searches, 600)
  })
})
