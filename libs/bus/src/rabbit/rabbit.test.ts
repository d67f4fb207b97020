import assert from 'node:assert/strict'
import { acquireBroker, type Broker, busConformance, testRetry } from '@carapace/testing'
import { quiet } from '../bus.ts'
import { brokerVersion } from '../torture/broker-version.ts'
import { rabbitBus } from './rabbit.ts'

describe('with RabbitMQ', function () {
  // The first file that needs the broker starts it, or even installs it.
  this.timeout(60_000)
  let broker: Broker
  before(async function () {
    this.timeout(240_000)
    broker = await acquireBroker()
  })
  after(() => broker?.stop())

  it('says which server it ran on', async function () {
    const version = await brokerVersion(broker.url)

    assert.match(version, /^RabbitMQ \d+\./)
    this.test!.title = `ran on ${version}`
  })

  busConformance('RabbitMQ', () => rabbitBus({ log: quiet, ...broker, service: 'test', retry: testRetry }))

  it('refuses an address that is none', () => {
    for (const url of ['', 'localhost', 'http://localhost', 'amqp://'])
      assert.throws(() => rabbitBus({ log: quiet, url, service: 'test' }), /amqp:\/\//)
  })
})
