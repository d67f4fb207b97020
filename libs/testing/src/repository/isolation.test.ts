import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const inRoot = (...parts: string[]) => path.join(root, ...parts)

interface Ended {
  code: number
  output: string
}

function run(program: string, args: string[], cwd: string): Promise<Ended> {
  return new Promise(resolve => {
    execFile(program, args, { cwd }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr })
    })
  })
}

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}
const manifest = async (folder: string): Promise<Manifest> => JSON.parse(await readFile(inRoot(folder, 'package.json'), 'utf8'))

/** Libraries that put services together: for tests, and to attack their rules. */
const compositions = new Set(['testing', 'trust-lab'])

describe('the services know nothing of each other', function () {
  this.timeout(60_000)

  it('in their manifests and project references; only the compositions name services', async () => {
    const services = await readdir(inRoot('services'))
    const names = new Set(await Promise.all(services.map(async name => (await manifest(`services/${name}`)).name)))
    const libs = (await readdir(inRoot('libs'))).filter(name => !compositions.has(name))

    for (const folder of [...services.map(name => `services/${name}`), ...libs.map(name => `libs/${name}`)]) {
      const { name: own, dependencies, devDependencies } = await manifest(folder)
      const named = Object.keys({ ...dependencies, ...devDependencies }).filter(name => names.has(name) && name !== own)
      assert.deepEqual(named, [], folder)
      const { references = [] } = JSON.parse(await readFile(inRoot(folder, 'tsconfig.json'), 'utf8'))
      for (const reference of references) assert.ok(!inRoot(folder, reference.path).startsWith(inRoot('services')), `${folder} → ${reference.path}`)
    }
  })

  it('and the lab imports nothing of them but their pure rules', async () => {
    const services = (await readdir(inRoot('services'))).join('|')
    const folder = inRoot('libs/trust-lab/src')
    const files = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.ts'))
    const sources = await Promise.all(files.map(name => readFile(path.join(folder, name), 'utf8')))
    const imported = sources.flatMap(source => source.match(new RegExp(`'@carapace/(${services})[^']*'`, 'g')) ?? [])

    assert.ok(imported.length > 0)
    assert.deepEqual(
      imported.filter(name => !name.endsWith("/rules'")),
      [],
    )
  })

  describe('because the build refuses to import one from another', () => {
    let folder: string

    /** Two services under the compiler and linter settings of this repository. `social` exports something, `domains` imports as given. */
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'carapace-isolation-'))
      const files: Record<string, string> = {
        'package.json': '{ "private": true, "workspaces": ["services/*"] }',
        'tsconfig.base.json': await readFile(inRoot('tsconfig.base.json'), 'utf8'),
        'biome.json': await readFile(inRoot('biome.json'), 'utf8'),
        '.gitignore': await readFile(inRoot('.gitignore'), 'utf8'),
        'services/social/src/index.ts': 'export const social = 1\n',
        'services/domains/src/index.ts': 'export const domains = 2\n',
      }
      for (const name of ['social', 'domains']) {
        const exported = { '.': { '@carapace/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' } }
        files[`services/${name}/package.json`] = JSON.stringify({ name: `@carapace/${name}`, type: 'module', exports: exported })
        files[`services/${name}/tsconfig.json`] = JSON.stringify({
          extends: '../../tsconfig.base.json',
          compilerOptions: { rootDir: 'src', outDir: 'dist' },
          include: ['src'],
        })
      }
      for (const [name, text] of Object.entries(files)) {
        await mkdir(path.join(folder, path.dirname(name)), { recursive: true })
        await writeFile(path.join(folder, name), text)
      }
      await mkdir(path.join(folder, 'node_modules/@carapace'), { recursive: true })
      await symlink(inRoot('node_modules/@types'), path.join(folder, 'node_modules/@types'))
      await symlink(path.join(folder, 'services/social'), path.join(folder, 'node_modules/@carapace/social'))
      assert.equal((await compile('social')).code, 0)
    })
    afterEach(() => rm(folder, { recursive: true, force: true }))

    const compile = (name: string) => run(inRoot('node_modules/.bin/tsc'), ['-b', `services/${name}`], folder)
    const lint = () => run(inRoot('node_modules/.bin/biome'), ['lint', '--vcs-root=.', 'services/domains'], folder)
    const write = (line: string) => writeFile(path.join(folder, 'services/domains/src/index.ts'), `${line}\nexport const domains = social\n`)

    it('which is silent without such an import', async () => {
      const [compiled, linted] = [await compile('domains'), await lint()]

      assert.deepEqual([compiled.code, linted.code], [0, 0], compiled.output + linted.output)
    })

    it('by a relative path: the compiler', async () => {
      await write("import { social } from '../../social/src/index.ts'")

      const { code, output } = await compile('domains')

      assert.notEqual(code, 0)
      assert.match(output, /TS6059|TS6307/)
    })

    it('by the name of its package: the linter', async () => {
      await write("import { social } from '@carapace/social'")

      const { code, output } = await lint()

      assert.notEqual(code, 0)
      assert.match(output, /noUndeclaredDependencies/)
    })
  })
})

describe('the lock file', function () {
  this.timeout(60_000)

  it('is one that npm ci accepts', async () => {
    const { code, output } = await run('npm', ['ci', '--dry-run', '--offline', '--no-audit', '--no-fund'], root)

    assert.equal(code, 0, output)
  })
})
