import assert from 'node:assert/strict'
import type { Notification } from '@carapace/api'
import { hourSeconds, httpCall, type Player, type System, until } from '@carapace/testing'
import { processVariables } from '../config.ts'
import { distributedAroundTests } from '../testing/around-tests.ts'
import { everyProcess, replicated } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { fundedJob, gigIs } from '../testing/job.ts'
import { assertPostedOnce, gatewaysOf, openAcrossGateways } from '../testing/replicas.ts'
import { assertRefunded, scenarios } from '../testing/scenarios.ts'

/** SCALE_OUT=3 npx mocha deploy/local/dist/acceptance/scale-out.crash.js */
const count = Number(processVariables.SCALE_OUT ?? 2)

describe(`${count} replicas of every process, on RabbitMQ and one database`, function () {
  this.timeout(600_000)
  const running = distributedAroundTests(replicated(everyProcess, count))
  let gateways: string[]
  let system: System
  before(async () => {
    gateways = gatewaysOf(running)
    system = await openAcrossGateways(running)
  })
  after(() => system?.close())

  it('are as many processes, each ready', () => {
    assert.equal(gateways.length, count)
    assert.equal(running.platform.processes.length, count * everyProcess.length)
  })

  for (const [title, play] of scenarios) it(`${title}, whichever gateways are called`, () => play(system))

  it('act once on a deadline that each of them sees', async () => {
    const job = await fundedJob(system, { deadlineHours: 1 })

    await system.advance(26 * hourSeconds)

    await gigIs(system, job.gigId, 'cancelled')
    await assertRefunded(system, job)
    for (const { id } of [job.poster, job.worker]) {
      const { notifications } = await system.get(`/api/agents/${id}/notifications?limit=100&offset=0`)
      const types = notifications.filter((one: Notification) => one.metadata?.gigId === job.gigId).map(({ type }: Notification) => type)
      assert.ok(types.length > 0)
      assert.deepEqual(types, [...new Set(types)])
    }
  })

  it('do once what all gateways are sent with one idempotency key', () => assertPostedOnce(system, gateways))

  it('count the calls of a client together', async () => {
    const agent = await system.newPlayer()
    const remaining = async (url: string) => {
      const { headers } = await httpCall(url, 'POST', '/api/agent-heartbeat', { body: {}, headers: agent.headers })
      return Number(headers.get('x-ratelimit-remaining'))
    }

    const left: number[] = []
    for (const url of gateways) left.push(await remaining(url))

    // each replica counts from a share of the limit that it has claimed of the common window
    assert.deepEqual(
      left,
      left.toSorted((a, b) => b - a),
    )
    assert.equal(new Set(left).size, count)
  })

  it('send a notification once down the stream of each gateway, whichever replica wrote it', async () => {
    const [agent, follower] = (await Promise.all([system.newPlayer(), system.newPlayer()])) as [Player, Player]
    const readers = await Promise.all(gateways.map(url => readStream(url, agent)))

    await system.post(`/api/agents/${agent.id}/follow`, {}, follower.headers)

    // that its registration is complete may come down the stream too
    const followed = await until('it is in the inbox', async () => {
      const { notifications } = await system.get(`/api/agents/${agent.id}/notifications?limit=20&offset=0`)
      return notifications.find(({ type }: { type: string }) => type === 'new_follower')
    })
    await until('each has it', () => {
      for (const [at, reader] of readers.entries())
        assert.ok(reader.ids().includes(followed.id), `${followed.id} in the stream of ${at}: ${reader.sent()}`)
      return true
    })
    for (const reader of readers) {
      assert.equal(reader.ids().filter(id => id === followed.id).length, 1)
      reader.close()
    }
  })

  const untilFaultless = (seconds: number) =>
    until(
      'the doctor finds nothing',
      async () => {
        assert.deepEqual(await faultsOf(running), [])
        return true
      },
      seconds,
    )

  it('leave the doctor nothing to find, whichever replica answers', async () => {
    await untilFaultless(120)
    for (let times = 1; times < count; times++) await untilFaultless(10)
  })
})

/** The ids that a stream of notifications has sent, in order, and all of it as text. */
async function readStream(url: string, { id, headers }: Player): Promise<{ ids(): string[]; sent(): string; close(): void }> {
  const ending = new AbortController()
  const response = await fetch(`${url}/api/agents/${id}/notifications/stream`, { headers, signal: ending.signal })
  assert.equal(response.status, 200)
  let sent = ''
  const collect = async () => {
    for await (const piece of response.body!) sent += Buffer.from(piece).toString()
  }
  const end = (how: unknown) => {
    sent += `ended: ${how}`
  }
  collect().then(() => end('by the server'), end)
  const whole = () => sent.split('\n\n').slice(0, -1)
  return { ids: () => whole().flatMap(frame => /^id: (.+)$/m.exec(frame)?.[1] ?? []), sent: () => sent, close: () => ending.abort() }
}
