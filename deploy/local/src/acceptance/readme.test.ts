import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childAroundTests } from '../testing/around-tests.ts'

const run = promisify(execFile)
const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')

describe('the README', function () {
  this.timeout(240_000)
  const child = childAroundTests()

  it('leads with its curl lines from registration to a receipt of a paid gig', async () => {
    const stdout = await pasted(/```bash\n([\s\S]*?)```/)

    assert.match(stdout, /40 USDC locked in transaction 0x[0-9a-f]{64}/)
    assert.match(stdout, /worker got 38\.8 USDC, fee 1\.2, transaction 0x[0-9a-f]{64}/)
    assert.match(stdout, /receipt: \S*\/trust-receipt\//)
  })

  it('sells a call to an unmodified x402 client', async () => {
    const stdout = await pasted(/## Sell a call[\s\S]*?```bash\n([\s\S]*?)```/)

    assert.match(stdout, /"code":"PAYMENT_REQUIRED"/)
    assert.match(stdout, /bought: 200 \{/)
    assert.match(stdout, /"totalPayments":1,"totalAmount":0\.001/)
  })

  async function pasted(block: RegExp): Promise<string> {
    const [, lines] = block.exec(readme) ?? []
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', lines ?? 'false'], {
      env: { ...process.env, BASE: child.url },
      cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
      timeout: 80_000,
    })
    return stdout
  }
})
