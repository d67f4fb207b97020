import assert from 'node:assert/strict'
import { cloudEvent } from '@carapace/api'
import { defaultRetry } from '@carapace/bus'
import { dispatcher } from './consume.ts'
import { makeLog } from './telemetry/log.ts'
import { makeMetrics } from './telemetry/metrics.ts'
import { thingMade } from './testing/things.fixture.ts'

describe('the dispatcher of events', () => {
  it('counts an event as dead when its last try has failed', async () => {
    const metrics = makeMetrics('social')
    const draft = thingMade.of({ id: 'a', title: 'a' })
    const event = cloudEvent(draft, {
      id: '1',
      source: '/carapace/social',
      time: '2026-01-01T00:00:00.000Z',
      aggregateversion: 1,
      traceparent: undefined,
    })
    const failing = { types: [thingMade.type], handle: () => Promise.reject(new Error('never')) }
    const dispatch = dispatcher([failing], { name: 'social', log: makeLog({ process: 'test', level: 'silent' }), metrics })
    const dead = async () => [...(await metrics.text()).matchAll(/^messaging_dead_messages_total\{.*\} (\d+)$/gm)].map(([, value]) => Number(value))

    await assert.rejects(dispatch(event, defaultRetry.limit - 1), /never/)
    assert.deepEqual(await dead(), [])
    await assert.rejects(dispatch(event, defaultRetry.limit), /never/)

    assert.deepEqual(await dead(), [1])
  })
})
