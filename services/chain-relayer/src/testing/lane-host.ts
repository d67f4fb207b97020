import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import type { CloudEvent, Draft } from '@carapace/api'
import { published, until } from '@carapace/testing'
import type { Kit } from './kit.ts'
import type { FromLane, LaneOrder, ToLane } from './lane-process.ts'

/** The broker's side of lanes in processes of their own: commands stay until they were handled, events are saved. */
export interface LaneHost {
  /** Starts a lane; resolves when it consumes commands (or has died). */
  start(order: Partial<LaneOrder>): Promise<LaneChild>
  send(drafts: readonly Draft[]): void
  /** Commands that no lane has handled yet. */
  readonly unhandled: number
  /** A lane consumes commands. */
  readonly listening: boolean
  close(): Promise<void>
}
export interface LaneChild {
  pid: number
  alive(): boolean
  /** Resolves with the signal that ended it. */
  ended: Promise<NodeJS.Signals | null>
  kill(signal: NodeJS.Signals): void
  /** Moves its wall clock. */
  jump(ms: number): void
}

/** Resolves once a lane has died at its point. @throws AssertionError where it does not get there within a minute */
export async function dead(victim: LaneChild): Promise<void> {
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    victim.kill('SIGKILL')
  }, 60_000)
  assert.equal(await victim.ended, 'SIGKILL')
  clearTimeout(late)
  assert.ok(!isLate, 'the lane did not reach its point')
}

/** Hands work to a lane in two halves, the second one while the first is under way, until it has died at its point. */
export async function deadAmidst(host: LaneHost, drafts: readonly Draft[], order: Partial<LaneOrder>): Promise<void> {
  const victim = await host.start(order)
  await until('the victim listens', () => host.listening, 30)
  const half = drafts.length / 2
  host.send(drafts.slice(0, half))
  setTimeout(() => host.send(drafts.slice(half)), 100)
  await dead(victim)
}

export function laneHost(kit: Kit, base: Pick<LaneOrder, 'mongoUri' | 'database'>): LaneHost {
  const commands = new Map<number, CloudEvent>()
  const children = new Set<ChildProcess>()
  let nextCommand = 1
  let consumer: ChildProcess | undefined

  const say = (child: ChildProcess, message: ToLane) => {
    if (child.connected) child.send(message)
  }
  const deliver = (id: number) => {
    if (consumer) say(consumer, { deliver: id, event: commands.get(id)! })
  }
  const receive = (child: ChildProcess, message: FromLane) => {
    if ('publish' in message) {
      for (const { event } of message.messages) kit.events.push(event)
      say(child, { published: message.publish })
    }
    if ('handled' in message) commands.delete(message.handled)
    if ('refused' in message) setTimeout(() => deliver(message.refused), 50)
    if ('ready' in message) {
      consumer = child
      for (const id of commands.keys()) deliver(id)
    }
  }

  return {
    start: async order => {
      const child = fork(new URL('./lane-process.js', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      children.add(child)
      const ended = new Promise<NodeJS.Signals | null>(resolve => child.once('exit', (_code, signal) => resolve(signal)))
      void ended.then(() => {
        children.delete(child)
        if (consumer === child) consumer = undefined
      })
      const ready = new Promise<void>(resolve =>
        child.on('message', (message: FromLane) => {
          receive(child, message)
          if ('ready' in message) resolve()
        }),
      )
      const { wsUrl, addresses } = kit.devnet
      say(child, { order: { wsUrl, addresses, batchSize: 50, ...base, ...order } })
      const standby = new Promise<void>(resolve => setTimeout(resolve, 3_000))
      await Promise.race([ready, ended, standby])
      return {
        pid: child.pid!,
        alive: () => child.exitCode === null && child.signalCode === null,
        ended,
        kill: signal => child.kill(signal),
        jump: ms => say(child, { jump: ms }),
      }
    },
    send: drafts => {
      for (const draft of drafts) {
        const id = nextCommand++
        commands.set(id, published(draft).event)
        deliver(id)
      }
    },
    get listening() {
      return consumer !== undefined
    },
    get unhandled() {
      return commands.size
    },
    close: async () => {
      await Promise.all(
        [...children].map(
          child =>
            new Promise<void>(resolve => {
              child.once('exit', () => resolve())
              child.kill('SIGCONT')
              child.kill('SIGKILL')
            }),
        ),
      )
    },
  }
}
