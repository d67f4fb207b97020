import assert from 'node:assert/strict'
import { type FaultyNode, seeded, startFaultyNode, until } from '@carapace/testing'
import { type Kit, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork } from '../testing/workload.ts'

describe('a lane at a failing node', () => {
  let kit: Kit
  let door: FaultyNode
  const run = async (count: number, disturb: () => Promise<void> | void, batchSize = 50) => {
    const work = makeWork(count)
    const lane = await kit.start({ rpcUrl: door.url, commandOf: countableKinds, batchSize })
    try {
      await kit.send(...work.slice(0, count / 2).map(one => one.draft))
      await disturb()
      await kit.send(...work.slice(count / 2).map(one => one.draft))
      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
      for (const { draft } of work) assert.ok(((await kit.db.ops.findOne({ _id: draft.subject }))?.attempts ?? 9) === 0, 'an outage is not a try')
    } finally {
      await lane.close()
    }
  }

  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses)
  })
  after(() => kit.close())
  beforeEach(async () => {
    door = await startFaultyNode(kit.devnet.wsUrl, seeded(11))
  })
  afterEach(() => door.close())

  it('continues after an outage', async () => {
    await run(60, async () => {
      door.faults.down = true
      await new Promise(resolve => setTimeout(resolve, 1_200))
      door.faults.down = false
    })
  })

  it('sends once when answers to sends are lost', async () => {
    await run(40, async () => {
      door.faults.muteSends = true
      await new Promise(resolve => setTimeout(resolve, 300))
      door.faults.muteSends = false
    })
  })

  it('sends again what the node accepted and dropped', async () => {
    door.faults.swallow = 0.05
    await run(80, () => {}, 1)
    assert.ok(door.swallowed > 0)
  })

  it('fills the pool although calls of a batch are reordered', async () => {
    door.faults.reverse = true
    await run(60, () => {}, 1)
  })

  it('finds blocks by itself when heads are no longer pushed', async () => {
    door.faults.muteHeads = true
    await run(40, () => {})
  })

  it('expires what could not be signed before its deadline during an outage', async () => {
    const work = makeWork(6)
    const lane = await kit.start({ rpcUrl: door.url, commandOf: countableKinds })
    try {
      door.faults.down = true
      const deadline = Date.now() + 300
      await kit.send(...work.map(({ draft }) => ({ ...draft, data: { ...draft.data, deadline } })))
      await until('expired', () => work.every(({ draft }) => kit.of(draft.subject, 'failed').length > 0))
      door.faults.down = false
      await assertExactlyOnce(kit, work)
      for (const { draft } of work) assert.equal(kit.of(draft.subject, 'failed')[0]!.data.code, 'EXPIRED')
    } finally {
      await lane.close()
    }
  })
})
