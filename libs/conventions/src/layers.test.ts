import assert from 'node:assert/strict'
import { importsIn } from './imports.ts'
import { layerFaults } from './layers.ts'

const readme = '| Folder | Subject |\n| `rpc/` | calls |\n| `lane/` | the lane |\n\nEach folder imports only those above it.'
const source = (sources: Record<string, string>) => Object.entries(sources).map(([file, text]) => ({ file, imports: importsIn(file, text) }))

describe('layerFaults', () => {
  it('finds an import of a folder that the README names later, also from a folder inside', () => {
    const files = source({ 'p/src/rpc/deep/a.ts': "import type { B } from '../../lane/b.ts'", 'p/src/lane/b.ts': "import { a } from '../rpc/a.ts'" })

    assert.deepEqual(layerFaults([['p/README.md', readme]], files), [
      'p/src/rpc/deep/a.ts imports p/src/lane/b.ts, which is of a folder below it in p/README.md',
    ])
  })

  it('passes tests, the top level and packages whose README promises no order', () => {
    const files = source({
      'p/src/rpc/a.test.ts': "import { b } from '../lane/b.ts'",
      'p/src/index.ts': "import { b } from './lane/b.ts'",
      'q/src/rpc/a.ts': "import { b } from '../lane/b.ts'",
    })

    assert.deepEqual(
      layerFaults(
        [
          ['p/README.md', readme],
          ['q/README.md', readme.replace('Each folder', 'A folder')],
        ],
        files,
      ),
      [],
    )
  })
})
