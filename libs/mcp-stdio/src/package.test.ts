import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('the package carapace-mcp', function () {
  this.timeout(120_000)
  let folder: string
  let installed: string

  /** As `npm pack` leaves it for the registry, with what it names as its dependencies and nothing else of this repository. */
  before(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'carapace-mcp-package-')))
    installed = path.join(folder, 'node_modules/carapace-mcp')
    const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: path.join(root, 'libs/mcp-stdio') })
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xzf', path.join(folder, JSON.parse(stdout)[0].filename), '-C', installed, '--strip-components=1'])
    const { dependencies } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as { dependencies: object }
    for (const name of Object.keys(dependencies)) {
      const place = path.join(folder, 'node_modules', name)
      await mkdir(path.dirname(place), { recursive: true })
      await symlink(await realpath(path.join(root, 'node_modules', name)), place)
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('has the program, its licence, no tests, and names no file that it lacks', async () => {
    const files = await readdir(installed, { recursive: true })
    const sources = await readdir(path.join(root, 'libs/mcp-stdio/src'))
    // an older build may have left more
    const scripts = files.filter(file => sources.includes(path.basename(file).replace(/js$/, 'ts')))

    for (const file of ['bin/carapace-mcp.js', 'dist/main.js', 'dist/index.d.ts', 'LICENSE', 'README.md'])
      assert.ok(files.includes(path.normalize(file)), file)
    assert.deepEqual(
      files.filter(file => /\.test\./.test(file)),
      [],
    )
    for (const file of scripts) assert.doesNotMatch(await readFile(path.join(installed, file), 'utf8'), /sourceMappingURL/, file)
  })

  it('starts, and says to its client that there is no gateway', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const program = path.join(installed, 'bin/carapace-mcp.js')
    const transport = new StdioClientTransport({ command: process.execPath, args: [program, '--url', 'http://127.0.0.1:9'], stderr: 'ignore' })

    await assert.rejects(client.connect(transport), /No answer from http:\/\/127\.0\.0\.1:9/)
    await client.close()
  })
})
