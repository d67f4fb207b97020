import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentMigrated } from '@carapace/api'
import { daySeconds, released, type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('inherited reputation', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('passes to the heir, also over two migrations, and stays with it on every later day', async () => {
    const [poster, twin, source] = [await newAgent(harness), await newAgent(harness), await newAgent(harness)]
    const [second, heir] = [await newAgent(harness), await newAgent(harness)]
    const scoreOf = async ({ id }: TestAgent): Promise<number> => (await harness.call('GET', `/api/agents/${id}/reputation`)).body.fusedScore
    const migrate = async (from: TestAgent, to: TestAgent) => {
      await harness.platform.publish(agentMigrated.of({ migrationId: randomUUID(), sourceAgentId: from.id, targetAgentId: to.id }))
      await until('the source has nothing left', async () => (await scoreOf(from)) === 0)
    }
    const bothPaid = async () => {
      for (const worker of [twin, source])
        await harness.platform.publish(released({ gigId: randomUUID(), posterId: poster.id, assigneeId: worker.id }))
    }
    await bothPaid()
    await until('both have risen', async () => (await scoreOf(twin)) > 15 && (await scoreOf(source)) > 15)

    // the second migration is published first: they are events of different agents
    await migrate(second, heir)
    await migrate(source, second)
    await until('the heir has it', async () => (await scoreOf(heir)) === (await scoreOf(twin)))
    const before = await scoreOf(twin)
    await bothPaid()
    await until('what is paid late counts for the heir', async () => {
      const [own, other] = [await scoreOf(heir), await scoreOf(twin)]
      return own === other && own > before
    })

    const { db, clock } = harness.platform.service('reputation').platform
    const days = db.connection.collection<{ _id: string; at: Date }>('platform')
    for (const pass of [1, 39]) {
      await harness.platform.advance(pass * daySeconds)
      await until('all are computed for the new day', async () => {
        const last = await days.findOne({ _id: 'daily' })
        return last && clock.now().getTime() - last.at.getTime() < daySeconds * 1000
      })
      assert.equal(await scoreOf(heir), await scoreOf(twin), `${pass} days later`)
      assert.ok((await scoreOf(heir)) > 15)
    }
    assert.deepEqual([await scoreOf(source), await scoreOf(second)], [0, 0])
  })
})
