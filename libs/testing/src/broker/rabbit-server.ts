import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import getPort from 'get-port'

const run = promisify(execFile)

/** A RabbitMQ node of our own on loopback, in a temporary folder. */
export interface RabbitServer {
  url: string
  /** Of the node itself, which its start script waits for. */
  pid(): Promise<number>
  addVhost(name: string): Promise<void>
  /** Runs rabbitmqctl, about 1 s; resolves to what it printed. */
  ctl(...args: string[]): Promise<string>
  /** Ends the node immediately, as a power cut would. What it confirmed stays. */
  kill9(): Promise<void>
  /** Starts the node again on the same ports and data. */
  restart(): Promise<void>
  /** Ends the node and removes its folder. */
  stop(): Promise<void>
}

const startMs = 180_000
const loopback = { host: '127.0.0.1' }

/** The folder with `rabbitmq-server` and `rabbitmqctl`; the wrappers in /usr/sbin want root and /etc, so they are not used. */
export function findRabbitServer(): string | undefined {
  const debian = '/usr/lib/rabbitmq/lib'
  const versions = existsSync(debian) ? readdirSync(debian).filter(name => name.startsWith('rabbitmq_server-')) : []
  const homes = [...versions.map(name => path.join(debian, name)), '/opt/rabbitmq', '/opt/homebrew/opt/rabbitmq', '/usr/local/opt/rabbitmq']
  return homes.map(home => path.join(home, 'sbin')).find(sbin => existsSync(path.join(sbin, 'rabbitmq-server')))
}

/** Starts a node, about 4 s. It ends when this process does, however that ends. @throws Error with the end of its log when it does not come up */
export async function startRabbitServer(sbin: string): Promise<RabbitServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-rabbit-'))
  const [port, distPort, epmdPort] = await Promise.all([getPort(loopback), getPort(loopback), getPort(loopback)])
  const env = await prepare(folder, { port, distPort, epmdPort })
  const watchdog = watch(folder, epmdPort)
  let node: ChildProcess | undefined

  async function start(): Promise<void> {
    await rm(path.join(folder, 'pid'), { force: true })
    node = spawn(path.join(sbin, 'rabbitmq-server'), { env, cwd: folder, detached: true, stdio: 'ignore' })
    const deadline = Date.now() + startMs
    while (!(await answers(port))) {
      if (node.exitCode !== null || Date.now() > deadline) throw new Error(`rabbitmq-server did not start:\n${await logTail(folder)}`)
      await sleep(50)
    }
  }

  const pidOf = async () => Number(await readFile(path.join(folder, 'pid'), 'utf8'))

  async function kill9(): Promise<void> {
    const pid = await pidOf().catch(() => 0)
    if (pid) killIfAlive(pid)
    if (node?.pid) killIfAlive(-node.pid)
    while (node?.exitCode === null && node.signalCode === null) await sleep(10)
  }

  async function stop(): Promise<void> {
    await kill9()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    // The watchdog sees that the folder is deleted, ends the port mapper, and ends.
    watchdog.ref()
    if (watchdog.exitCode === null) await new Promise(resolve => watchdog.once('exit', resolve))
  }

  const ctl = async (...args: string[]) => (await run(path.join(sbin, 'rabbitmqctl'), ['-q', ...args], { env, cwd: folder })).stdout
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    pid: pidOf,
    async addVhost(name) {
      await ctl('add_vhost', name)
      await ctl('set_permissions', '-p', name, 'guest', '.*', '.*', '.*')
    },
    ctl,
    kill9,
    async restart() {
      await kill9()
      await start()
    },
    stop,
  }
}

async function prepare(folder: string, { port, distPort, epmdPort }: { port: number; distPort: number; epmdPort: number }) {
  const inFolder = (name: string) => path.join(folder, name)
  const files = {
    '.erlang.cookie': randomBytes(16).toString('hex'),
    // Erlang terms, since a rabbitmq.conf costs its translation at every start.
    'advanced.config': '[{rabbit, [{disk_free_limit, 50000000}, {log, [{file, [{level, warning}]}]}]}].\n',
    'env.conf': '',
    enabled_plugins: '[].\n',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(inFolder(name), content, { mode: 0o400 })
  await mkdir(inFolder('generated'))
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: folder,
    ERL_CRASH_DUMP_SECONDS: '0',
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `p${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: inFolder('data'),
    RABBITMQ_LOG_BASE: inFolder('log'),
    RABBITMQ_CONFIG_FILE: inFolder('none'),
    RABBITMQ_CONF_ENV_FILE: inFolder('env.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: inFolder('advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: inFolder('enabled_plugins'),
    RABBITMQ_GENERATED_CONFIG_DIR: inFolder('generated'),
    RABBITMQ_PID_FILE: inFolder('pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  }
}

/** Ends the node and its port mapper when this process has ended or the folder was removed. */
function watch(folder: string, epmdPort: number): ChildProcess {
  const script = `
    while kill -0 ${process.pid} 2>/dev/null && [ -d "$0" ]; do sleep 0.2; done
    [ -f "$0/pid" ] && kill -9 "$(cat "$0/pid")"
    for i in 1 2 3 4 5 6 7 8 9 10; do epmd -port ${epmdPort} -kill && break; sleep 0.2; done
    rm -rf "$0"`
  const child = spawn('/bin/sh', ['-c', script, folder], { detached: true, stdio: 'ignore' })
  child.unref()
  return child
}

/** Whether something speaks AMQP there: the listener opens last, when the node can be used. */
function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write('AMQP\0\0\t\x01'))
    const settle = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('data', () => settle(true))
    socket.once('error', () => settle(false))
    socket.setTimeout(2_000, () => settle(false))
  })
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It had ended already.
  }
}

async function logTail(folder: string): Promise<string> {
  const logs = path.join(folder, 'log')
  const names = existsSync(logs) ? readdirSync(logs).filter(name => name.endsWith('.log')) : []
  const texts = await Promise.all(names.map(name => readFile(path.join(logs, name), 'utf8')))
  return texts.join('\n').slice(-2_000)
}
