import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import getPort from 'get-port'
import { isOpen } from '../is-open.ts'
import { containerBroker } from './container-broker.ts'

/** An engine in whose one container something listens. */
const engineSource = (folder: string, port: number) => `#!${process.execPath}
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
const { spawn } = require('node:child_process')
const [command, ...rest] = process.argv.slice(2)
appendFileSync('${folder}/calls', [command, ...rest].join(' ') + '\\n')
const pid = Number(readFileSync('${folder}/pid', 'utf8'))
if (command === 'kill' && pid > 0) process.kill(pid, 'SIGKILL')
if (command === 'start') {
  const listen = "require('node:net').createServer(socket => socket.end()).listen(${port}, '127.0.0.1')"
  const child = spawn(process.execPath, ['-e', listen], { detached: true, stdio: 'ignore' })
  writeFileSync('${folder}/pid', String(child.pid))
  child.unref()
}
if (command === 'inspect') console.log(readFileSync('${folder}/pid', 'utf8'))
`

describe('a broker in a container', function () {
  this.timeout(30_000)
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-engine-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('is killed and started again by its engine, in a virtual host of its own', async () => {
    const port = await getPort({ host: '127.0.0.1' })
    const engine = path.join(folder, 'engine')
    await writeFile(engine, engineSource(folder, port), { mode: 0o700 })
    await writeFile(path.join(folder, 'pid'), '0')

    const broker = await containerBroker(`${engine} rabbit-4`, `amqp://user:secret@127.0.0.1:${port}`)
    await broker.restart()
    const wasOpen = await isOpen('127.0.0.1', port)
    const pid = await broker.pid()
    await broker.kill9()
    const isOpenAfter = await isOpen('127.0.0.1', port)
    await broker.stop()

    const vhost = new URL(broker.url).pathname.slice(1)
    const calls = (await readFile(path.join(folder, 'calls'), 'utf8')).trim().split('\n')
    assert.deepEqual([wasOpen, isOpenAfter, pid > 0], [true, false, true])
    assert.deepEqual(calls, [
      `exec rabbit-4 rabbitmqctl -q add_vhost ${vhost}`,
      `exec rabbit-4 rabbitmqctl -q set_permissions -p ${vhost} user .* .* .*`,
      'kill -s KILL rabbit-4',
      'start rabbit-4',
      'exec rabbit-4 rabbitmqctl -q await_startup',
      'inspect --format {{.State.Pid}} rabbit-4',
      'kill -s KILL rabbit-4',
      `exec rabbit-4 rabbitmqctl -q delete_vhost ${vhost}`,
    ])
  })

  it('is named by an engine and a container', async () => {
    await assert.rejects(containerBroker('rabbit-4', 'amqp://127.0.0.1'), /AMQP_CONTAINER names an engine and a container/)
  })
})
