import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { ServiceName } from '@carapace/api'
import { processVariables } from '../config.ts'
import { services } from '../services.ts'
import { joinPrograms } from './programs.ts'

describe('programs joined from the modules of services', () => {
  const names = [...services.map(({ api }) => api.name as ServiceName), 'gateway' as const]
  let folder: string
  let programOf: Awaited<ReturnType<typeof joinPrograms>>
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-programs-'))
    programOf = await joinPrograms(names, folder)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('are a few files instead of thousands of modules', async () => {
    const files = (await readdir(folder, { recursive: true })).filter(file => file.endsWith('.mjs'))
    assert.ok(files.length <= 150, `${files.length} files`)
  })

  for (const name of names)
    it(`start by themselves: ${name}`, async () => {
      const child = spawn(process.execPath, [programOf(name)], { env: { PATH: processVariables.PATH }, stdio: ['ignore', 'ignore', 'pipe'] })
      const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      // all that it imports is loaded by then
      assert.match(complaint, /^MONGODB_URI is not set/)
      assert.equal(code, 1)
    })
})
