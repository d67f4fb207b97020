import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { makeLog } from '@carapace/service'
import { openDatabase } from '@carapace/store'
import { httpCall, newWallet, until } from '@carapace/testing'
import { startGateway } from '../start.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'
import { sharedWindows } from './store.ts'
import { memoryWindows } from './windows.ts'

const path = '/api/molt-domains/register-autonomous'
const body = { name: 'mine', agentId: randomUUID(), walletAddress: newWallet() }

describe('the quota of autonomous names', () => {
  let harness: Harness
  let second: Awaited<ReturnType<typeof startGateway>>
  let alone: Harness
  before(async () => {
    harness = await startHarness({}, { exclusive: false })
    second = await startGateway(harness.options)
    alone = await startHarness()
  })
  after(async () => {
    await second.close()
    await harness.close()
    await alone.close()
  })

  /** Windows of an hour begin at whole hours: a test that meets the next one is repeated there. */
  const withinOneHour = async (work: () => Promise<void>): Promise<void> => {
    const hour = () => Math.floor(Date.now() / 3_600_000)
    const began = hour()
    await work().catch((error: unknown) => {
      if (hour() === began) throw error
      return work()
    })
  }
  const answerWith = ({ upstream }: Harness, status: number) => {
    upstream.answer = (_, response) => json(response, status, { code: 'NAME_TAKEN', status })
  }
  const forget = async ({ mongo }: Harness) => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}carapace_gateway` })
    await db.connection.collection('rate_windows').deleteMany({})
    await db.close()
  }

  it('lets three succeed in an hour over all replicas, however many are refused', () =>
    withinOneHour(async () => {
      await forget(harness)
      const urls = [harness.url, second.url]
      const register = async (url: string) => (await httpCall(url, 'POST', path, { body })).status
      const onBoth = async (times: number) => {
        const statuses: number[] = []
        for (let i = 0; i < times; i++) for (const url of urls) statuses.push(await register(url))
        return [...new Set(statuses)]
      }

      answerWith(harness, 409)
      assert.deepEqual(await onBoth(4), [409])
      answerWith(harness, 201)
      assert.equal(await register(urls[0]!), 201)
      answerWith(harness, 409)
      assert.deepEqual(await onBoth(4), [409])
      answerWith(harness, 201)
      assert.deepEqual(await onBoth(1), [201])

      assert.deepEqual(await onBoth(6), [429])
    }))

  it('counts a registration whose caller leaves before its answer, and none that never went out', async () => {
    const { upstream, url } = alone
    const faulty = { headers: { signature: 'no', 'signature-input': 'no' }, body }
    for (let i = 0; i < 4; i++) assert.equal((await alone.call('POST', path, faulty)).status, 401)
    const held: ServerResponse[] = []
    upstream.answer = (_, response) => void held.push(response)
    const text = JSON.stringify(body)
    const head = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json', `content-length: ${text.length}`, '', '']
    for (let i = 1; i <= 3; i++) {
      const client = connect(Number(new URL(url).port), '127.0.0.1')
      client.write(head.join('\r\n') + text)
      await until('the service has it', () => held.length === i)
      await new Promise<void>(resolve => client.once('close', () => resolve()).destroy())
    }
    // their ends have arrived before any later request
    await alone.call('GET', '/healthz')
    for (const response of held) json(response, 201, {})
    answerWith(alone, 201)

    assert.equal((await alone.call('POST', path, { body })).status, 429)
  })
})

describe('a released hit', () => {
  const windowMs = 2_000
  it('makes room in its own window only', async () => {
    const harness = await startHarness()
    const db = await openDatabase({ uri: harness.mongo.uri, name: `${harness.mongo.prefix}released` })
    const log = makeLog({ process: 'test', level: 'silent' })
    for (const windows of [memoryWindows(), sharedWindows(db, 'test', 3, log)]) {
      windows.init({ windowMs })
      await until('a window has begun', () => Date.now() % windowMs < windowMs / 2)
      const [first, again] = [await windows.increment('client'), await windows.increment('client')]
      await again.release()
      assert.equal((await windows.increment('client')).totalHits, 2)

      await until('its window has ended', () => Date.now() >= first.resetTime.getTime())
      await windows.increment('client')
      await first.release()
      assert.equal((await windows.increment('client')).totalHits, 2)
      windows.shutdown()
    }
    await db.close()
    await harness.close()
  })
})
