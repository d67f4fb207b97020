import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { processVariables } from '../config.ts'
import { copyProductionTree } from './production-tree.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

describe('the files of a process in its image', () => {
  let folder: string
  let packages: string[]
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-image-'))
    packages = await copyProductionTree(root, 'services/notifications', folder)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('are enough to start it', async () => {
    const program = path.join(folder, 'services/notifications/dist/main.js')
    const [code, complaint] = await new Promise<[unknown, string]>(resolve => {
      execFile(process.execPath, [program], { env: { PATH: processVariables.PATH } }, (error, _, stderr) => resolve([error?.code, stderr]))
    })

    // all that it imports is loaded by then
    assert.match(complaint, /^MONGODB_URI is not set/)
    assert.equal(code, 1)
  })

  it('are of no package that only builds or tests', async () => {
    const { devDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { devDependencies: Record<string, string> }
    const tools = [...Object.keys(devDependencies), 'esbuild', 'testcontainers', 'fast-check', 'solc', '@foundry-rs/anvil', '@foundry-rs/forge']
    const copied = new Set(packages.map(name => name.replace(/^.*node_modules\//, '')))

    assert.deepEqual(
      tools.filter(name => copied.has(name)),
      [],
    )
    assert.ok(!packages.includes('libs/testing'))
  })

  it('hold neither sources nor tests of ours', async () => {
    const files = (await readdir(folder, { recursive: true })).filter(file => !file.startsWith('node_modules'))

    assert.deepEqual(
      files.filter(file => /\.ts$|\.test\.|(^|\/)(src|testing|bench|torture)(\/|$)/.test(file)),
      [],
    )
  })

  it('are refused when something needed is not installed', async () => {
    const empty = await mkdtemp(path.join(tmpdir(), 'carapace-image-'))
    try {
      await assert.rejects(copyProductionTree(folder, 'libs/none', empty), /ENOENT/)
      await rm(path.join(folder, 'node_modules/amqplib'), { recursive: true })
      await assert.rejects(copyProductionTree(folder, 'services/notifications', empty), /libs\/bus needs amqplib, which is not installed/)
    } finally {
      await rm(empty, { recursive: true, force: true })
    }
  })
})
