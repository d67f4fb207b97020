import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Entry, textIndex } from './text-index.ts'

describe('an index of texts', () => {
  const parts = fc.constantFrom('a', 'b', 'aa', 'ab', 'abc', 'cab', '-', 'ü', '\n', '😀')
  const words = fc.array(parts, { maxLength: 6 }).map(parts => parts.join(''))
  const ids = fc.constantFrom('1', '2', '3', '4', '5')
  const put = fc.record({ id: ids, text: words, createdAt: fc.date({ min: new Date(0), max: new Date(3), noInvalidDate: true }) })
  const step = fc.oneof(
    put.map(entry => ({ put: entry })),
    ids.map(id => ({ remove: id })),
    fc.record({ find: words, limit: fc.nat(4), offset: fc.nat(4) }),
  )

  /** The model: a search of every text. */
  function plain(entries: ReadonlyMap<string, Entry>, part: string, first?: string): string[] {
    const found = [...entries.values()].filter(({ text }) => text.includes(part))
    const newest = found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
    return first !== undefined && newest.includes(first) ? [first, ...newest.filter(id => id !== first)] : newest
  }

  it('finds what a search of all texts finds, in that order, page by page, after any changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), ids, (steps, first) => {
        const index = textIndex()
        const entries = new Map<string, Entry>()
        for (const one of steps) {
          if ('put' in one) {
            // the time of registration never changes
            const entry = { ...one.put, createdAt: entries.get(one.put.id)?.createdAt ?? one.put.createdAt }
            entries.set(entry.id, entry)
            index.put(entry)
          } else if ('remove' in one) {
            entries.delete(one.remove)
            index.remove(one.remove)
          } else if (one.find !== '') {
            const { limit, offset } = one
            const all = plain(entries, one.find)
            assert.deepEqual(index.find(one.find, { limit, offset }), { ids: all.slice(offset, offset + limit), total: all.length })
            const led = plain(entries, one.find, first)
            assert.deepEqual(index.find(one.find, { limit, offset }, first).ids, led.slice(offset, offset + limit))
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('answers after more questions than it caches', () => {
    const index = textIndex()
    for (let n = 0; n < 1_200; n++) index.put({ id: `${n}`, text: `agent-${n}`, createdAt: new Date(n) })
    for (let n = 0; n < 1_200; n++) assert.equal(index.find(`t-${n}`, { limit: 1, offset: 0 }).ids.length, 1)
    assert.deepEqual(index.find('agent', { limit: 2, offset: 1 }), { ids: ['1198', '1197'], total: 1_200 })
    index.remove('1198')
    assert.deepEqual(index.find('agent', { limit: 2, offset: 1 }), { ids: ['1197', '1196'], total: 1_199 })
  })
})
