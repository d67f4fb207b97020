import assert from 'node:assert/strict'
import { readGlossary } from './glossary.ts'
import { privateWordsIn } from './private-words.ts'
import { spokenIn } from './spoken.ts'

const glossary = readGlossary(`
## Private words

| Private word | Say |
|---|---|
| tell, tells, told | publish, notify |
| keep, keeps, kept | save |

## Exceptions

| Word | Phrase | Where | Why |
|---|---|---|---|
| keep | keep alive | \`*\` | the term of HTTP |
| told | | \`libs/old/\` | written elsewhere |
`)
const find = (source: string, file = 'libs/new/a.ts') =>
  privateWordsIn(file, spokenIn(file, source), glossary).map(({ kind, word, line }) => [kind, word, line])

describe('privateWordsIn', () => {
  it('finds private words in declared names', () => {
    const source = `const toldOf = 1\nfunction f(kept: number, { a: tellAll }: { a: 1 }) {}\ninterface Kept { keepLine: string }\nexport const f2 = ({ told = 1 }) => told`

    assert.deepEqual(find(source), [
      ['name', 'told', 1],
      ['name', 'kept', 2],
      ['name', 'tell', 2],
      ['name', 'kept', 3],
      ['name', 'keep', 3],
      ['name', 'told', 4],
    ])
  })

  it('finds them in titles of tests and in log texts', () => {
    const source = "describe('who is told', () => {})\nit(`tells it`, () => {})\nparts.log.warn({ a: 1 }, 'not kept')"

    assert.deepEqual(find(source), [
      ['test title', 'told', 1],
      ['test title', 'tells', 2],
      ['log text', 'kept', 3],
    ])
  })

  it('passes words inside others, and comments', () => {
    assert.deepEqual(find('// told and kept\nconst retold = 1, keeper = 2'), [])
  })

  it('passes what an exception covers, by phrase and by place', () => {
    assert.deepEqual(find('const keepAliveMs = 1, keepMs = 2'), [['name', 'keep', 1]])
    assert.deepEqual(find('const told = 1', 'libs/old/b.ts'), [])
  })
})
