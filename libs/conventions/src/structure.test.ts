import assert from 'node:assert/strict'
import { importsIn } from './imports.ts'
import { structureFaults } from './structure.ts'

const source = (sources: Record<string, string>) => Object.entries(sources).map(([file, text]) => ({ file, imports: importsIn(file, text) }))

describe('structureFaults', () => {
  it('finds files that import values of each other, also by a re-export, and passes types', () => {
    const circle = { 'p/src/a.ts': "import { b } from './b.ts'", 'p/src/b.ts': "export { a } from './a.ts'" }
    const typed = { 'p/src/a.ts': "import { b } from './b.ts'", 'p/src/b.ts': "import type { A } from './a.ts'" }

    assert.deepEqual(structureFaults(source(circle)), ['files import values of each other: p/src/a.ts p/src/b.ts'])
    assert.deepEqual(structureFaults(source(typed)), [])
  })

  it('finds folders that import each other, types too, and passes the top level, tests and lists of consumed events', () => {
    const circle = { 'p/src/x/a.ts': "import type { B } from '../y/b.ts'", 'p/src/y/b.ts': '', 'p/src/y/c.ts': "import { a } from '../x/a.ts'" }
    const passed = {
      'p/src/index.ts': "import './x/a.ts'",
      'p/src/parts.ts': "import './y/c.ts'",
      'p/src/x/a.ts': "import type { P } from '../parts.ts'",
      'p/src/x/a.test.ts': "import { b } from '../y/b.ts'",
      'p/src/y/b.ts': "import { a } from '../x/a.ts'",
      'p/src/x/consumes.ts': "import { b } from '../y/b.ts'",
    }

    assert.deepEqual(structureFaults(source(circle)), ['folders import each other: p/src/x p/src/y'])
    assert.deepEqual(structureFaults(source(passed)), [])
  })

  it('finds files of different folders that import each other by way of the top level, types too', () => {
    const circle = {
      'p/src/parts.ts': "import { a } from './x/a.ts'",
      'p/src/x/a.ts': "import { b } from './b.ts'",
      'p/src/x/b.ts': "import type { Parts } from '../parts.ts'",
    }

    assert.deepEqual(structureFaults(source(circle)), ['files of different folders import each other: p/src/parts.ts p/src/x/a.ts p/src/x/b.ts'])
  })

  it('finds folders of more than 30 files', () => {
    const many = Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`p/src/f${n}.ts`, '']))

    assert.deepEqual(structureFaults(source(many)), ['p/src has 31 files, 30 at most'])
  })
})
