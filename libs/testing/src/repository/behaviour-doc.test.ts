import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))

describe('docs/behaviour.md', () => {
  it('has every section that a comment cites', async () => {
    const text = await readFile(path.join(root, 'docs/behaviour.md'), 'utf8')
    const sections = new Set([...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number))
    const { stdout } = await run('git', ['grep', '-hoE', 'behaviour [0-9]+(\\.[0-9]+)?', '--', '*.ts', '*.sol'], { cwd: root })
    const cited = new Set([...stdout.matchAll(/[\d.]+/g)].map(([number]) => number))

    assert.ok(cited.size > 10)
    assert.deepEqual(
      [...cited].filter(number => !sections.has(number)),
      [],
    )
  })
})
