import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { acquireBroker, type Broker, httpCall, type OwnMongo, ownMongo, startProgram, until } from '@carapace/testing'
import getPort from 'get-port'

describe('the gateway as a process of its own, without a database', function () {
  this.timeout(240_000)
  let broker: Broker
  let mongo: OwnMongo

  before(async () => {
    broker = await acquireBroker()
    mongo = await ownMongo()
  })
  after(async () => {
    await mongo?.remove()
    await broker?.stop()
  })

  it('lives, names it, and opens its door when it is there', async () => {
    const port = await getPort({ host: '127.0.0.1' })
    const url = `http://127.0.0.1:${port}`
    const get = (path: string) => httpCall(url, 'GET', path)
    const environment = { PORT: String(port), INTERNAL_KEY: 'k'.repeat(32), MONGODB_URI: mongo.uri, AMQP_URL: broker.url }
    const program = startProgram(fileURLToPath(new URL('main.js', import.meta.url)), environment)
    try {
      const { body } = await until('it says what is absent', async () => {
        const answer = await get('/readyz')
        return answer.body.checks.mongodb === false && answer
      })
      assert.deepEqual([body.status, body.code], [503, 'DEPENDENCY_UNAVAILABLE'])
      assert.equal((await get('/healthz')).status, 200)
      assert.deepEqual([(await get('/api/gigs')).status, (await get('/docs')).status], [503, 503])

      await mongo.start()

      await until('it is ready', async () => (await get('/readyz')).status === 200)
      assert.equal((await get('/docs')).status, 200)
      assert.equal(await program.terminate(), 0)
    } finally {
      program.child.kill('SIGKILL')
    }
  })
})
