import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const mostBytes = 40_000

/** A program of somebody who has installed the package. */
const program = `
import { connect, isRefusal, verifyWebhook } from '@carapace/client'
const client = connect({ baseUrl: process.argv[2], signer: { address: '0x' + '1'.repeat(40), signMessage: async () => '0x' + '2'.repeat(130) } })
const agents = await client.identity.listAgents()
const found = await client.identity.getAgent({ params: { id: 'nobody' } }).catch(error => isRefusal(error, 'NOT_FOUND'))
console.log(JSON.stringify([agents, found, typeof verifyWebhook]))
`
const typedProgram = `
import { connect, type Gig, type ConnectOptions } from '@carapace/client'
const signer = { address: '0x', signMessage: async (message: Uint8Array) => String(message), signTypedData: async () => '0x' }
const options: ConnectOptions = { baseUrl: 'http://host', signer, payment: { signer, maxPayment: 1n } }
export async function open(): Promise<Gig[]> {
  const client = connect(options)
  // @ts-expect-error a gig needs a budget
  await client.marketplace.createGig({ body: { title: 't', description: 'd' } })
  return client.marketplace.listGigs({ query: { status: 'open' } })
}
`
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  types: [],
  lib: ['es2023', 'dom'],
}

describe('the package @carapace/client', function () {
  this.timeout(120_000)
  let folder: string

  /** In an empty project, as `npm pack` leaves it for the registry. What it depends on comes from this repository, so that no registry is needed. */
  before(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'carapace-client-')))
    const pack = async (from: string, ...more: string[]): Promise<string> => {
      const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder, ...more], { cwd: from })
      return `./${JSON.parse(stdout)[0].filename}`
    }
    /** Of a package that is built: its own sources are not there. */
    const packBuilt = (from: string) => pack(from, '--ignore-scripts')
    const erc8128 = path.join(root, 'node_modules/@slicekit/erc8128')
    const hashes = path.dirname(createRequire(path.join(erc8128, 'package.json')).resolve('@noble/hashes'))
    const overrides = { '@slicekit/erc8128': `file:${await packBuilt(erc8128)}`, '@noble/hashes': `file:${await packBuilt(hashes)}` }
    const own = await pack(path.join(root, 'libs/client'))
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', overrides }))
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', own], { cwd: folder })
    await writeFile(path.join(folder, 'program.js'), program)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const installed = () => path.join(folder, 'node_modules/@carapace/client')

  it('depends on nothing of this repository, and has no tests', async () => {
    const { dependencies, main, types } = JSON.parse(await readFile(path.join(installed(), 'package.json'), 'utf8'))
    const files = (await readdir(installed(), { recursive: true })).filter(file => /\.(js|ts|map)$/.test(file))
    const sources = await Promise.all(files.map(file => readFile(path.join(installed(), file), 'utf8')))

    assert.deepEqual(Object.keys(dependencies), ['@slicekit/erc8128'])
    // compilers and bundlers that read no exports
    for (const file of [main, types]) assert.ok(files.includes(path.normalize(file)), file)
    assert.deepEqual(await readdir(path.join(folder, 'node_modules/@carapace')), ['client'])
    assert.deepEqual(
      files.filter(file => /\.test\.|\.map$/.test(file)),
      [],
    )
    assert.deepEqual(
      files.filter((_, i) => /from '(node:|@carapace\/)/.test(sources[i]!)),
      [],
    )
    // bundlers warn where what it names is missing
    assert.deepEqual(
      files.filter((_, i) => sources[i]!.includes('sourceMappingURL')),
      [],
    )
    assert.match(await readFile(path.join(installed(), 'LICENSE'), 'utf8'), /^MIT License/)
  })

  it('works in Node', async () => {
    const server = createServer((request, response) => {
      const isList = request.url === '/api/agents' && request.headers['signature-input'] !== undefined
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' })
      response.end(isList ? '[]' : '{"message":"no","code":"NOT_FOUND","status":404}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')

    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { stdout } = await run(process.execPath, ['program.js', url], { cwd: folder })

    server.close()
    assert.deepEqual(JSON.parse(stdout), [[], true, 'function'])
  })

  it('has types that a strict program without those of Node compiles with', async () => {
    await writeFile(path.join(folder, 'typed.ts'), typedProgram)
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: compilerOptions, files: ['typed.ts'] }))

    const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
    const output = await run(process.execPath, [compiler, '-p', folder]).then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout as string,
    )

    assert.equal(output, '')
  })

  it('is bundled for any runtime of ES modules', async () => {
    const outfile = path.join(folder, 'bundle.mjs')
    await build({
      absWorkingDir: folder,
      entryPoints: ['program.js'],
      bundle: true,
      platform: 'neutral',
      format: 'esm',
      outfile,
      logLevel: 'silent',
    })

    await assert.rejects(run(process.execPath, [outfile, 'http://127.0.0.1:9'], { cwd: folder }), /UNAVAILABLE|NETWORK|no answer/i)
  })

  it('is one and the same for every resolver: by its exports under all conditions, and by its main', async () => {
    const { exports } = JSON.parse(await readFile(path.join(installed(), 'package.json'), 'utf8'))
    assert.deepEqual(Object.keys(exports['.']), ['types', 'default'])
    const bundled = async (options: BuildOptions) => {
      const { outputFiles, warnings } = await build({
        absWorkingDir: folder,
        stdin: { contents: "export * from '@carapace/client'", resolveDir: folder },
        bundle: true,
        write: false,
        logLevel: 'silent',
        ...options,
      })
      assert.deepEqual(warnings, [])
      return outputFiles!.find(({ path: file }) => !file.endsWith('.map'))!.text
    }
    const esm: BuildOptions = { platform: 'neutral', format: 'esm' }
    const whole = await bundled(esm)
    for (const conditions of [
      ['bun', 'import'],
      ['browser', 'import', 'module'],
      ['worker', 'import'],
      ['deno', 'import'],
      ['react-native'],
      ['edge-light'],
    ])
      assert.equal(await bundled({ ...esm, conditions }), whole, conditions.join())
    for (const condition of ['bun', 'browser', 'worker', 'deno', 'module']) {
      const show = `console.log(import.meta.resolve('@carapace/client'))`
      const { stdout } = await run(process.execPath, [`--conditions=${condition}`, '--input-type=module', '-e', show], { cwd: folder })
      assert.equal(stdout.trim(), String(pathToFileURL(path.join(installed(), 'dist/index.js'))), condition)
    }
    // a program of CommonJS, bundled
    assert.match(await bundled({ platform: 'node', format: 'cjs' }), /module\.exports/)
  })

  it(`is bundled for browsers, with at most ${mostBytes / 1_000} kB gzipped`, async () => {
    const { outputFiles, warnings } = await build({
      absWorkingDir: folder,
      stdin: { contents: "export * from '@carapace/client'", resolveDir: folder },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      minify: true,
      write: false,
      logLevel: 'silent',
    })
    const bytes = gzipSync(outputFiles[0]!.contents).byteLength

    assert.deepEqual(warnings, [])
    assert.ok(bytes <= mostBytes, `${bytes} bytes`)
  })
})
