import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { processVariables } from '../config.ts'
import { services } from '../services.ts'
import { copyProductionTree, productionBytes } from './production-tree.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

describe('the files of a process in its image', function () {
  // thousands of files are copied
  this.timeout(240_000)
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

  it('are less than 90 MB for each process', async () => {
    const counted = new Map<string, Promise<number>>()
    const processes = ['gateway', 'deploy/contracts', 'libs/embedded-mongo', ...services.map(({ api }) => `services/${api.name}`)]
    const megabytes = new Map<string, number>()
    for (const name of processes) megabytes.set(name, (await productionBytes(root, name, counted)) / 2 ** 20)

    // the sum is what is really copied
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    const copied = await Promise.all(files.filter(file => file.isFile()).map(async file => (await stat(path.join(file.parentPath, file.name))).size))
    assert.deepEqual(
      [...megabytes].filter(([, size]) => size >= 90),
      [],
    )
    assert.ok(megabytes.get('services/notifications')! >= copied.reduce((sum, size) => sum + size, 0) / 2 ** 20 - 0.1)
  })

  it('hold neither sources nor tests of ours', async () => {
    const files = (await readdir(folder, { recursive: true })).filter(file => !file.startsWith('node_modules'))

    assert.deepEqual(
      files.filter(file => /\.ts$|\.test\.|(^|\/)(src|testing|bench|torture)(\/|$)/.test(file)),
      [],
    )
  })

  it('hold the weights of the font that pictures are drawn with, and no others', async () => {
    const pictures = await mkdtemp(path.join(tmpdir(), 'carapace-image-'))
    await copyProductionTree(root, 'libs/picture', pictures)

    const fonts = (await readdir(pictures, { recursive: true })).filter(file => file.endsWith('.ttf')).map(file => path.basename(file))
    await rm(pictures, { recursive: true, force: true })
    assert.deepEqual(fonts.sort(), ['Inter_400Regular.ttf', 'Inter_700Bold.ttf'])
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
