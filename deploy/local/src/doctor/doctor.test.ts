import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '@carapace/testing'
import { processVariables } from '../config.ts'
import { childAroundTests } from '../testing/around-tests.ts'
import { freePorts } from '../testing/ports.ts'

const program = fileURLToPath(new URL('./main.js', import.meta.url))

describe('the doctor', function () {
  this.timeout(240_000)
  // signatures are over the name of the gateway: its port has to be known beforehand
  const child = childAroundTests(async () => ({ AUTH_MODE: 'signed', PORT: String(await freePorts(1)) }))

  const runDoctor = (): Promise<{ text: string; code: number }> =>
    new Promise(resolve => {
      const variables = { PATH: processVariables.PATH, DATA_DIR: child.dataDir }
      execFile(process.execPath, [program, child.url], { env: variables }, (error, text) => resolve({ text, code: error ? Number(error.code) : 0 }))
    })

  it('finds a system healthy that requires signatures on admin calls, dead letters included', async () => {
    const { text } = await until(
      'the doctor finds nothing',
      async () => {
        const seen = await runDoctor()
        if (seen.code !== 0) throw new Error(seen.text)
        return seen
      },
      60,
    )

    assert.match(text, /^healthy +gateway +dead_letters +0$/m)
  })

  it('says what it needs where it has no key of an admin', async () => {
    const key = path.join(child.dataDir, 'keys', 'oracle')
    await rename(key, `${key}.away`)

    const { text, code } = await runDoctor()

    await rename(`${key}.away`, key)
    assert.equal(code, 1)
    assert.match(text, /^FAULT +gateway +dead_letters +1\n +admin calls are signed here: DOCTOR_KEY/m)
  })
})
