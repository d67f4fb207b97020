import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isOpen } from '../is-open.ts'
import type { OwnBroker } from './broker.ts'

const run = promisify(execFile)
const startMs = 60_000
const retryMs = 200

/**
 * A broker in a container that somebody has started for these tests alone: it is killed and started again there. Its container stays.
 * @param container the engine's command and the name of the container, such as `podman rabbit-4`
 * @param url where the broker answers, as a user that may do everything
 */
export async function containerBroker(container: string, url: string): Promise<OwnBroker> {
  const [engine, name] = container.split(' ')
  if (!engine || !name) throw new Error('AMQP_CONTAINER names an engine and a container, such as: podman rabbit-4')
  const engineCall = async (...args: string[]) => (await run(engine, args)).stdout.trim()
  const ctl = (...args: string[]) => engineCall('exec', name, 'rabbitmqctl', '-q', ...args)
  const place = new URL(url)
  const user = decodeURIComponent(place.username || 'guest')
  const vhost = `t${process.pid}-${randomBytes(4).toString('hex')}`
  await ctl('add_vhost', vhost)
  await ctl('set_permissions', '-p', vhost, user, '.*', '.*', '.*')
  const { hostname, port } = place
  place.pathname = `/${vhost}`
  const answers = () => isOpen(hostname, Number(port || 5672))
  const kill9 = async () => {
    await engineCall('kill', '-s', 'KILL', name).catch(() => {})
    await until('is away', async () => !(await answers()))
  }
  return {
    url: place.href,
    prefix: '',
    pid: async () => Number(await engineCall('inspect', '--format', '{{.State.Pid}}', name)),
    kill9,
    restart: async () => {
      await kill9()
      await engineCall('start', name)
      await until('answers', answers)
      await until('has started', () =>
        ctl('await_startup').then(
          () => true,
          () => false,
        ),
      )
    },
    ctl,
    stop: async () => {
      await ctl('delete_vhost', vhost).catch(() => {})
    },
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + startMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`the broker of AMQP_CONTAINER: it ${what} not within ${startMs / 1_000} s`)
    await sleep(retryMs)
  }
}
