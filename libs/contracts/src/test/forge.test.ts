import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { manifestUrl, packageRoot } from '../build/layout.ts'
import { readSource } from '../build/source.ts'
import { foundryBinary } from '../testing/anvil.ts'

const require = createRequire(import.meta.url)

interface Suite {
  test_results: Record<string, { status: string; reason: string | null; counterexample: unknown }>
}

// forge requires every import inside one folder and its own compiler: it gets a folder with copies, and solc-js in a shim.
describe('Random calls', function () {
  this.timeout(120_000)
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'carapace-forge-'))
    for (const part of ['forge', 'artifacts']) cpSync(fileURLToPath(new URL(part, packageRoot)), join(folder, part), { recursive: true })
    cpSync(join(folder, 'forge', 'foundry.toml'), join(folder, 'foundry.toml'))
    const { sources } = JSON.parse(readFileSync(manifestUrl, 'utf8')) as { sources: Record<string, string> }
    for (const name of Object.keys(sources)) {
      const target = join(folder, name.startsWith('solidity/') ? '' : 'node_modules', name)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, readSource(name))
    }
    writeFileSync(join(folder, 'solc-shim'), shim(require.resolve('solc')), { mode: 0o755 })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('never make or lose USDC, and time alone empties every contract', async () => {
    const env = { HOME: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
    const child = spawn(foundryBinary('forge'), ['test', '--json'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    assert.ok(out.trimStart().startsWith('{'), `${out}${err}`)
    const suites = JSON.parse(out) as Record<string, Suite>
    const results = Object.values(suites).flatMap(suite => Object.entries(suite.test_results))
    const failed = results.filter(([, result]) => result.status !== 'Success').map(([name, r]) => ({ name, reason: r.reason, by: r.counterexample }))

    assert.deepEqual(failed, [])
    assert.equal(results.length, 11)
  })
})

function shim(solc: string): string {
  return `#!/usr/bin/env node
const solc = require(${JSON.stringify(solc)})
if (process.argv.includes('--version')) {
  process.stdout.write('solc, the solidity compiler commandline interface\\nVersion: ' + solc.version() + '\\n')
} else {
  process.stdout.write(solc.compile(require('node:fs').readFileSync(0, 'utf8')))
}
`
}
