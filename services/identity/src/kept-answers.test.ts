import assert from 'node:assert/strict'
import fc from 'fast-check'
import { keptAnswers, type Question } from './kept-answers.ts'

interface Entry {
  id: string
  value: number
}

describe('kept answers', () => {
  const byValue = (a: Entry, b: Entry): number => a.value - b.value || (a.id < b.id ? -1 : 1)
  const atLeast = (value: number, key: string | null = String(value)): Question<Entry> => ({ key, holds: one => one.value >= value, order: byValue })
  const ids = fc.constantFrom('a', 'b', 'c', 'd')
  const values = fc.nat(4)
  const step = fc.oneof(fc.record({ put: ids, value: values }), fc.record({ drop: ids }), fc.record({ ask: values, isKept: fc.boolean() }))

  it('are what looking through everything gives, whatever was changed since they were asked first', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const entries = new Map<string, Entry>()
        const answers = keptAnswers<Entry>()
        for (const one of steps) {
          if ('put' in one) {
            const entry = { id: one.put, value: one.value }
            answers.change(entries.get(entry.id), entry)
            entries.set(entry.id, entry)
          } else if ('drop' in one) {
            answers.change(entries.get(one.drop), undefined)
            entries.delete(one.drop)
          } else {
            const question = atLeast(one.ask, one.isKept ? undefined : null)
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

  it('are looked for once, and again when too many others were asked', () => {
    const answers = keptAnswers<Entry>()
    let looks = 0
    const look = (value: number) =>
      answers.to(atLeast(value), () => {
        looks += 1
        return []
      })
    look(1)
    look(1)
    assert.equal(looks, 1)
    for (let value = 2; value < 600; value++) look(value)
    look(1)
    assert.equal(looks, 600)
  })
})
