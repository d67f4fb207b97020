import assert from 'node:assert/strict'
import { readGlossary } from './glossary.ts'
import { privateWordsIn } from './private-words.ts'
import { commentsIn, fileNameIn, proseIn, spokenIn } from './spoken.ts'

const glossary = readGlossary(`
## Private words

| Private word | Say |
|---|---|
| tell, tells, told | publish, notify |
| keep, keeps, kept | save |
| once more | again |

## Private names

| Name | Say |
|---|---|
| known | current |

## Exceptions

| Word | Phrase | Where | Why |
|---|---|---|---|
| keep, kept | keep alive, kept alive | \`*\` | the term of HTTP |
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

  it('finds them in names that an import gives', () => {
    assert.deepEqual(find("import { told } from 'elsewhere'\nimport { log as told } from 'elsewhere'"), [['name', 'told', 2]])
  })

  it('finds them in titles of tests and in log texts', () => {
    const source = "describe('who is told', () => {})\nit(`tells it`, () => {})\nparts.log.warn({ a: 1 }, 'not kept')"

    assert.deepEqual(find(source), [
      ['test title', 'told', 1],
      ['test title', 'tells', 2],
      ['log text', 'kept', 3],
    ])
  })

  it('finds private names that are the whole of a declared name', () => {
    assert.deepEqual(find('// known before\nconst known = 1, isKnown = 2\nfunction f() { try { f() } catch (known) {} }'), [
      ['name', 'known', 2],
      ['name', 'known', 3],
    ])
  })

  it('finds them in what a program prints, throws and describes', () => {
    const source = [
      "console.error('told')",
      'process.stdout.write(`told`)',
      "throw new Retry('not kept')",
      "refuse('CODE', undefined, { message: 'is kept' })",
      "event('a.b.c', 'id', 'What is told', {})",
      "const table = { when: 'it is told', byTime: 'kept' }",
    ].join('\n')

    assert.deepEqual(find(source), [
      ['output', 'told', 1],
      ['output', 'told', 2],
      ['error text', 'kept', 3],
      ['error text', 'kept', 4],
      ['description', 'told', 5],
      ['description', 'told', 6],
      ['description', 'kept', 6],
    ])
  })

  it('finds them in the values of a type', () => {
    assert.deepEqual(find("type End = 'cleared' | 'kept'"), [['value', 'kept', 1]])
  })

  it('finds them in names of files', () => {
    assert.deepEqual(
      privateWordsIn('libs/a/kept-rows.test.ts', [fileNameIn('libs/a/kept-rows.test.ts')], glossary).map(({ kind, word }) => [kind, word]),
      [['file name', 'kept']],
    )
  })

  it('finds them in comments, outside quoted code, and a row of several words', () => {
    const source = '// who is told, by `kept`\n/**\n * Sent once\n * more.\n */\nconst a = 1'

    assert.deepEqual(find(source), [
      ['comment', 'told', 1],
      ['comment', 'once more', 2],
    ])
  })

  it('finds them in documents, outside code', () => {
    const text = '# Told\n\n```sh\nkeep\n```\n\nIs `told` and kept.'

    assert.deepEqual(
      privateWordsIn('a.md', proseIn(text), glossary).map(({ word, line }) => [word, line]),
      [
        ['told', 1],
        ['kept', 7],
      ],
    )
  })

  it('passes words inside others', () => {
    assert.deepEqual(find('const retold = 1, keeper = 2'), [])
  })

  it('passes what an exception covers, by phrase and by place', () => {
    assert.deepEqual(find('const keepAliveMs = 1, keepMs = 2'), [['name', 'keep', 1]])
    assert.deepEqual(find('// kept alive, not kept'), [['comment', 'kept', 1]])
    assert.deepEqual(find('const told = 1', 'libs/old/b.ts'), [])
  })

  it('finds them in comments of style sheets', () => {
    const found = privateWordsIn('a.css', commentsIn('.kept {\n  color: red; /* is kept */\n}'), glossary)

    assert.deepEqual(
      found.map(({ kind, word, line }) => [kind, word, line]),
      [['comment', 'kept', 2]],
    )
  })

  it('finds them in comments of Solidity, not in its names, its texts and quoted code', () => {
    const source = 'contract Kept { // is kept\n  string told = "// told";\n  /// `told` here\n  /**\n   * once\n   * more\n   */ uint keep; }'

    assert.deepEqual(
      privateWordsIn('a.sol', commentsIn(source), glossary).map(({ kind, word, line }) => [kind, word, line]),
      [
        ['comment', 'kept', 1],
        ['comment', 'once more', 4],
      ],
    )
  })
})
