import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Child, startChild, temporaryDataDir } from './testing/child.ts'

const run = promisify(execFile)
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

describe('the README', function () {
  this.timeout(90_000)
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>
  let child: Child
  before(async () => {
    folder = await temporaryDataDir()
    child = await startChild(folder.path)
  })
  after(async () => {
    await child?.stop()
    await folder?.remove()
  })

  it('leads with its curl lines from registration to a receipt of a paid gig', async () => {
    const [, lines] = /```bash\n([\s\S]*?)```/.exec(readme) ?? []

    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', lines ?? 'false'], { env: { ...process.env, BASE: child.url }, timeout: 80_000 })

    assert.match(stdout, /40 USDC locked in transaction 0x[0-9a-f]{64}/)
    assert.match(stdout, /worker got 38\.8 USDC, fee 1\.2, transaction 0x[0-9a-f]{64}/)
    assert.match(stdout, /receipt: \S*\/trust-receipt\//)
  })
})
