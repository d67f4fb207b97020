import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { processVariables } from '../config.ts'
import { childAroundTests } from '../testing/around-tests.ts'
import { freePorts } from '../testing/ports.ts'

const program = fileURLToPath(new URL('main.js', import.meta.url))

describe('the demo against a system in signed mode', function () {
  this.timeout(240_000)
  // signatures are over the name of the gateway: its port has to be known beforehand
  const child = childAroundTests(async () => ({ AUTH_MODE: 'signed', PORT: String(await freePorts(1)) }))

  const runDemo = (): Promise<{ text: string; code: number }> =>
    new Promise(resolve => {
      const variables = { PATH: processVariables.PATH, DATA_DIR: child.dataDir }
      execFile(process.execPath, [program, child.url], { env: variables }, (error, text, errors) =>
        resolve({ text: text + errors, code: error ? Number(error.code) : 0 }),
      )
    })

  for (const run of ['first', 'second'])
    it(`passes the ${run} time`, async () => {
      const { text, code } = await runDemo()

      assert.equal(code, 0, text)
      assert.equal(text.match(/^ {2}receipt +http\S+\/trust-receipt\//gm)?.length, 2, text)
    })

  it('says which key it needs where it has none', async () => {
    const key = path.join(child.dataDir, 'keys', 'oracle')
    await rename(key, `${key}.away`)

    const { text, code } = await runDemo()

    await rename(`${key}.away`, key)
    assert.equal(code, 1)
    assert.match(text, /DOCTOR_KEY_FILE/)
  })
})
