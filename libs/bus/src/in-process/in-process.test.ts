import assert from 'node:assert/strict'
import { busConformance, outgoing, testRetry, unique, until } from '@carapace/testing'
import { quiet } from '../bus.ts'
import { memoryDeadLetters } from './dead-letter-store.ts'
import { inProcessBus } from './in-process.ts'

busConformance('in-process', () => inProcessBus({ log: quiet, retry: testRetry }))

describe('bus: in-process, acknowledgement', () => {
  const queue = (name: string, binding: string) => ({ name, exchange: 'events' as const, bindings: [binding] })

  it('acknowledges when the handlers are done', async () => {
    const bus = inProcessBus({ log: quiet })
    const type = unique('type')
    let done = 0
    for (const name of ['a', 'b'])
      await bus.subscribe(queue(name, type), async () => {
        await new Promise(setImmediate)
        done++
      })

    await bus.publish([outgoing(type), outgoing(type)])

    assert.equal(done, 4)
    await bus.close()
  })

  it('acknowledges a failed message once it is parked', async () => {
    const deadLetterStore = memoryDeadLetters()
    const bus = inProcessBus({ log: quiet, deadLetterStore, retry: { delaysMs: [60_000], limit: 3 } })
    const type = unique('type')
    await bus.subscribe(queue('a', type), async () => {
      throw new Error('broken')
    })

    await bus.publish([outgoing(type)])

    const [parked] = await deadLetterStore.parked('a')
    assert.equal(parked?.attempts, 1)
    assert.equal(parked?.reason, 'broken')
    await bus.close()
  })

  it('rejects when a failed message cannot be saved', async () => {
    const park = async () => {
      throw new Error('disk full')
    }
    const bus = inProcessBus({ log: quiet, deadLetterStore: { ...memoryDeadLetters(), park } })
    const type = unique('type')
    await bus.subscribe(queue('a', type), async () => {
      throw new Error('broken')
    })

    await assert.rejects(bus.publish([outgoing(type)]), /disk full/)

    await bus.close()
  })

  it('rejects what no consumer received before it closed', async () => {
    const bus = inProcessBus({ log: quiet })
    const type = unique('type')
    const subscription = await bus.subscribe(queue('a', type), async () => {})
    await subscription.close()
    const published = bus.publish([outgoing(type)])

    await Promise.all([assert.rejects(published, /closed/), bus.close()])
  })

  it('resumes after a restart what was parked', async () => {
    const deadLetterStore = memoryDeadLetters()
    const retry = { delaysMs: [20], limit: 5 }
    const type = unique('type')
    const first = inProcessBus({ log: quiet, deadLetterStore, retry })
    await first.subscribe(queue('a', type), async () => {
      throw new Error('broken')
    })
    const message = outgoing(type)
    await first.publish([message])
    await first.close()
    const attempts: number[] = []

    const second = inProcessBus({ log: quiet, deadLetterStore, retry })
    await second.subscribe(queue('a', type), async (event, { attempt }) => {
      assert.deepEqual(event, message.event)
      attempts.push(attempt)
    })

    await until('it was handled', () => attempts.length > 0)
    await until('it is no longer parked', async () => (await deadLetterStore.parked('a')).length === 0)
    assert.ok(attempts[0] && attempts[0] >= 2)
    await second.close()
  })
})
