import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { deliveredGig, gigAs, type Work } from '../testing/gigs.ts'
import { newAgent, startWorld, type World } from '../testing/world.ts'

const url = 'https://example.org/report'

describe('the panel of a gig over HTTP', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  const factsOf = ({ gigId, poster, worker }: Work, validationId: string, panel: readonly TestAgent[]) => ({
    ...{ validationId, gigId, jobId: null, title: 'Audit', posterId: poster.id, assigneeId: worker.id, budget: 40_000_000n, chain: 'BASE_SEPOLIA' },
    ...{ candidateCount: panel.length, threshold: 1, weak: true, oracleAssisted: false, round: 1, appealOf: null },
    ...{ panel: panel.map(agent => agent.id), rewardPerValidator: 100_000n, expiresAt: new Date().toISOString() },
  })
  const opened = (work: Work, validationId: string, panel: readonly TestAgent[], round = 1) =>
    api.validationOpened.of({ ...factsOf(work, validationId, panel), round, submissionId: validationId, parentValidationId: null } as never)
  const changed = (work: Work, validationId: string, panel: readonly TestAgent[]) =>
    api.panelChanged.of({ ...factsOf(work, validationId, panel), added: [], removed: [] } as never)
  const mayRead = async ({ gigId }: Work, agent: TestAgent) => (await gigAs(world, gigId, agent)).deliverable?.url === url

  it('may read the deliverable until it is replaced, however late the first panel is told of again', async () => {
    const work = await deliveredGig(world)
    const [first, second] = [newAgent(world), newAgent(world)]
    const validationId = randomUUID()
    await world.platform.publish(opened(work, validationId, [first]), 1)
    assert.equal(await mayRead(work, first), true)
    await world.platform.publish(changed(work, validationId, [second]), 2)
    assert.deepEqual([await mayRead(work, first), await mayRead(work, second)], [false, true])

    await world.platform.publish(opened(work, validationId, [first]), 1)

    assert.deepEqual([await mayRead(work, first), await mayRead(work, second)], [false, true])
  })

  it('is that of the second round, whatever comes late of the first', async () => {
    const work = await deliveredGig(world)
    const [first, second, late] = [newAgent(world), newAgent(world), newAgent(world)]
    const [one, two] = [randomUUID(), randomUUID()]
    await world.platform.publish(opened(work, one, [first]), 1)
    await world.platform.publish(opened(work, two, [second], 2), 1)

    await world.platform.publish(changed(work, one, [late]), 4)

    assert.deepEqual([await mayRead(work, late), await mayRead(work, second)], [false, true])
    assert.equal((await gigAs(world, work.gigId)).validationId, two)
  })
})
