import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)
const [, ...walks] = readFileSync(new URL('docs/walks.md', root), 'utf8').split(/^## /m)
const filesOf = (walk: string): string[] => [...new Set(walk.match(/[\w./-]+\.ts/g))].filter(file => file.includes('/'))

describe('docs/walks.md', () => {
  it('names files that exist', () => {
    assert.deepEqual(
      walks.flatMap(filesOf).filter(file => !existsSync(new URL(file, root))),
      [],
    )
  })

  it('posts a gig in at most 25 files, and pays after a vote in at most 60', () => {
    const counts = walks.map(walk => filesOf(walk).length)

    assert.equal(counts.length, 2)
    assert.ok(counts[0]! <= 25 && counts[1]! <= 60, String(counts))
  })
})
