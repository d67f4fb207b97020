import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childAroundTests } from '../testing/around-tests.ts'
import { freePorts } from '../testing/ports.ts'

const run = promisify(execFile)
const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')

describe('the README', function () {
  this.timeout(240_000)
  // the start page names the gateway: its port has to be known beforehand
  const child = childAroundTests(async () => ({ PORT: String(await freePorts(1)) }))

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

  it('has its like on the start page, whose five blocks play a gig from registration to receipt', async () => {
    const page = await (await fetch(child.url)).text()
    const blocks = [...page.slice(page.indexOf('id="first-gig"')).matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g)].map(match => match[1]!)
    assert.equal(blocks.length, 5)

    const stdout = await typed(blocks.map(unescaped).join('\n'))

    assert.match(stdout, /^poster-\w+ hires worker-\w+$/m)
    assert.match(stdout, /^0x[0-9a-f]{64}$/m)
    assert.match(stdout, /^paid 38\.8 USDC: \S+\/trust-receipt\//m)
  })

  const unescaped = (text: string) =>
    [
      ['&lt;', '<'],
      ['&gt;', '>'],
      ['&quot;', '"'],
      ['&#39;', "'"],
      ['&amp;', '&'],
    ].reduce((plain, [entity, character]) => plain.replaceAll(entity!, character!), text)

  const pasted = (block: RegExp) => typed(block.exec(readme)?.[1] ?? 'false')

  async function typed(lines: string): Promise<string> {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', lines], {
      env: { ...process.env, BASE: child.url },
      cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
      timeout: 80_000,
    })
    return stdout
  }
})
