import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type CloudEvent, clockAdvanced, queuesOf } from '@carapace/api'
import { inProcessBus, quiet } from '@carapace/bus'
import { type AnyService, contextHeader, makeLog, readConfig, signContext, startService } from '@carapace/service'
import { acquireMongo } from '../mongo/acquire-mongo.ts'
import { until } from '../until.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const copied = ['libs/api', 'services/notifications']

describe('docs/extend.md', function () {
  this.timeout(120_000)
  let folder: string

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-extend-'))
    await copySources()
    const guide = await readFile(path.join(root, 'docs/extend.md'), 'utf8')
    const patches = [...guide.matchAll(/```diff\n([\s\S]*?)```/g)].map(([, patch]) => patch!)
    for (const [n, patch] of patches.entries()) {
      await writeFile(path.join(folder, `${n}.patch`), patch)
      // git uses numbers of lines as hints only
      await run('git', ['apply', '--recount', '--unidiff-zero', `${n}.patch`], { cwd: folder })
    }
    await run(path.join(root, 'node_modules/.bin/tsc'), ['-b', 'services/notifications'], { cwd: folder }).catch(({ stdout }) => assert.fail(stdout))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('leads to an endpoint and an event that work', async () => {
    const built = pathToFileURL(path.join(folder, 'services/notifications/dist/index.js'))
    const { notifications } = (await import(built.href)) as { notifications: AnyService }
    const mongo = await acquireMongo()
    const bus = inProcessBus({ log: quiet })
    const received: CloudEvent[] = []
    await bus.subscribe({ name: 'carapace.test', exchange: 'events', bindings: ['notifications.#'] }, async event => void received.push(event))
    const internalKey = 'k'.repeat(32)
    const service = await startService(notifications, {
      config: { ...readConfig({ CHECK_ANSWERS: 'true' }), DB_PREFIX: mongo.prefix },
      mongoUri: mongo.uri,
      bus,
      queues: queuesOf([notifications.api]),
      internalKey,
      address: () => 'http://127.0.0.1:9',
      log: makeLog({ process: 'test', level: 'silent' }),
    })
    const agentId = '0190a5d0-0000-7000-8000-000000000001'
    const agent = { kind: 'agent', agentId, wallet: '0x0' } as const
    const inbox = `${service.url}/api/agents/${agentId}/notifications`

    const newest = await fetch(`${inbox}/newest`)
    const read = await fetch(inbox, {
      method: 'PATCH',
      headers: {
        'content-type': 'application/json',
        [contextHeader]: signContext({ mode: 'plain', agent, expires: Date.now() + 30_000 }, internalKey),
      },
      body: '{"read":true}',
    })

    assert.deepEqual([newest.status, await newest.json()], [200, { notification: null }])
    assert.equal(read.status, 200)
    const event = await until('the event is received', () => received.find(({ type }) => type !== clockAdvanced.type))
    assert.deepEqual([event.type, event.subject, event.data], ['notifications.inbox.read.v1', agentId, { agentId, updated: 0 }])
    await service.close()
    await bus.close()
    await mongo.close()
  })

  /** The two packages that the guide touches, without their tests; all else is this checkout's. */
  async function copySources(): Promise<void> {
    for (const name of copied) {
      await cp(path.join(root, name), path.join(folder, name), {
        recursive: true,
        filter: source => !/(?:\/dist|\/node_modules|\.test\.ts|\.tsbuildinfo)$/.test(source),
      })
      // the compiler treats packages of one name and version as one, wherever they lie
      const manifest = JSON.parse(await readFile(path.join(root, name, 'package.json'), 'utf8'))
      await writeFile(path.join(folder, name, 'package.json'), JSON.stringify({ ...manifest, version: '0.0.1' }))
      const references = name === 'libs/api' ? [] : [{ path: '../../libs/api' }]
      const tsconfig = { extends: '../../tsconfig.base.json', compilerOptions: { rootDir: 'src', outDir: 'dist' }, include: ['src'], references }
      await writeFile(path.join(folder, name, 'tsconfig.json'), JSON.stringify(tsconfig))
    }
    await cp(path.join(root, 'tsconfig.base.json'), path.join(folder, 'tsconfig.base.json'))
    const [modules, scope] = [path.join(root, 'node_modules'), path.join(folder, 'node_modules/@carapace')]
    await mkdir(scope, { recursive: true })
    for (const name of await readdir(modules))
      if (name !== '@carapace' && !name.startsWith('.')) await symlink(path.join(modules, name), path.join(folder, 'node_modules', name))
    for (const name of await readdir(path.join(modules, '@carapace')))
      await symlink(copied.includes(`libs/${name}`) ? path.join(folder, 'libs', name) : path.join(modules, '@carapace', name), path.join(scope, name))
  }
})
