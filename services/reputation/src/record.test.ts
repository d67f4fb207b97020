import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CloudEvent } from '@carapace/api'
import { inputsOf, type Logged, marketId, mergedFacts } from '@carapace/formula'
import type { ScoredEntry } from './audit.store.ts'
import { type Parts, stores } from './parts.ts'
import { record } from './record.ts'
import { standingAt } from './standing.ts'
import { type Harness, newAgent, startHarness } from './testing/harness.ts'

describe('the standing of an agent', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const event = () => ({ id: randomUUID(), time: new Date().toISOString(), source: '/carapace/identity' }) as CloudEvent

  /** The parts of this process, and those of another one with the same database. */
  const replicas = (): [Parts, Parts] => {
    const { platform: alone } = harness.platform.service('reputation')
    const platform = { ...alone, db: { ...alone.db, exclusive: false } }
    return [
      { ...platform, ...stores(platform) },
      { ...platform, ...stores(platform) },
    ]
  }
  it('is of the whole log, which this process does not read again for the next fact', async () => {
    const { platform } = harness.platform.service('reputation')
    const parts = { ...platform, ...stores(platform) }
    const { id } = await newAgent(harness)
    await record(parts, event(), id, { type: 'seen' })
    const rows = platform.db.connection.collection('audit')
    const aggregate = rows.aggregate.bind(rows)
    let reads = 0
    Object.assign(rows, {
      aggregate: (...given: Parameters<typeof aggregate>) => {
        reads++
        return aggregate(...given)
      },
    })
    after(() => Object.assign(rows, { aggregate }))

    await record(parts, event(), id, { type: 'skill_verified', skill: 'solidity' })

    const stored = await rows.find({ agentId: { $in: [id, marketId] } }).toArray()
    const log = stored.map(({ agentId, details, at, seq }) => ({ ...details, agentId, at, seq }) as Logged)
    assert.deepEqual([reads, (await parts.scores.need(id)).inputs], [0, inputsOf(id, log)])
  })

  it('is of every fact that was stored before another one of its group collided', async () => {
    const { platform } = harness.platform.service('reputation')
    const parts = { ...platform, ...stores(platform) }
    const { id } = await newAgent(harness)
    const twice = event()
    await record(parts, twice, id, { type: 'seen' })

    await Promise.all([record(parts, event(), id, { type: 'skill_verified', skill: 'solidity' }), record(parts, twice, id, { type: 'seen' })])

    const { badges, inputs } = await parts.scores.need(id)
    const stored = await platform.db.connection
      .collection('audit')
      .find({ agentId: { $in: [id, marketId] } })
      .toArray()
    const log = stored.map(({ agentId, details, at, seq }) => ({ ...details, agentId, at, seq }) as Logged)
    assert.deepEqual([badges, inputs], [['Skill Verified'], inputsOf(id, log)])
  })

  const moments = {
    'after the log was read': (parts: Parts, interfere: () => Promise<unknown>) => ({
      factsWith: async (...given: Parameters<Parts['audit']['factsWith']>) => {
        const facts = await parts.audit.factsWith(...given)
        await interfere()
        return facts
      },
    }),
    'before the fact is in the log': (parts: Parts, interfere: () => Promise<unknown>) => ({
      append: async (entries: readonly ScoredEntry[]) => {
        await interfere()
        return parts.audit.append(entries)
      },
    }),
    'after the fact is in the log': (parts: Parts, interfere: () => Promise<unknown>) => ({
      append: async (entries: readonly ScoredEntry[]) => {
        const positions = await parts.audit.append(entries)
        await interfere()
        return positions
      },
    }),
    'before the log is compared': (parts: Parts, interfere: () => Promise<unknown>) => ({
      grownSince: async (ids: readonly string[], position: number) => {
        await interfere()
        return parts.audit.grownSince(ids, position)
      },
    }),
  }
  for (const [moment, interfering] of Object.entries(moments))
    for (const by of ['this process', 'another one'] as const)
      it(`is of the whole log when ${by} records another fact ${moment}`, async () => {
        const { id } = await newAgent(harness)
        const [parts, others] = replicas()
        // the place in the log is known
        await record(parts, event(), id, { type: 'seen' })
        let times = 0
        const interfere = async () => {
          if (++times === 1) await record(by === 'this process' ? parts : others, event(), id, { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' })
        }
        const overtaken: Parts = { ...parts, audit: { ...parts.audit, ...interfering(parts, interfere) } }

        await record(overtaken, event(), id, { type: 'skill_verified', skill: 'solidity' })

        const { badges, fusedScore, inputs } = await parts.scores.need(id)
        const log = await parts.audit.factsOf([id])
        const whole = standingAt(mergedFacts(id, log), new Date())
        assert.deepEqual([badges, fusedScore], [whole.badges, whole.fusedScore])
        assert.equal(badges.length, 2)
        assert.deepEqual(inputs, inputsOf(id, log))
        assert.deepEqual(await parts.audit.verify(), [])
      })

  it('changes once with the facts of one moment, each of which is in the log with its own part', async () => {
    const [{ id }, { id: other }] = [await newAgent(harness), await newAgent(harness)]
    const [parts] = replicas()
    await record(parts, event(), id, { type: 'seen' })
    const before = (await parts.scores.need(id)).version

    const [confirmed, verified] = [event(), event()]
    await Promise.all([
      record(parts, confirmed, id, { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' }),
      record(parts, verified, id, { type: 'skill_verified', skill: 'solidity' }),
      record(parts, event(), other, { type: 'skill_verified', skill: 'solidity' }),
      assert.rejects(record(parts, event(), randomUUID(), { type: 'seen' }), { name: 'Retry' }),
    ])

    const { version, badges, fusedScore } = await parts.scores.need(id)
    assert.deepEqual([version, badges.length], [before + 1, 2])
    const first = await parts.audit.scoresOf({ eventId: confirmed.id, agentId: id, key: 'onchain_confirmed' })
    const second = await parts.audit.scoresOf({ eventId: verified.id, agentId: id, key: 'skill_verified' })
    assert.deepEqual([second.scoreBefore, second.scoreAfter], [first.scoreAfter, fusedScore])
    assert.deepEqual((await parts.scores.need(other)).badges, ['Skill Verified'])
    assert.deepEqual(await parts.audit.verify(), [])
  })

  it('is the same after a second delivery among other facts', async () => {
    const { id } = await newAgent(harness)
    const [parts] = replicas()
    const twice = event()
    await record(parts, twice, id, { type: 'skill_verified', skill: 'solidity' })

    await Promise.all([
      record(parts, event(), id, { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' }),
      record(parts, twice, id, { type: 'skill_verified', skill: 'solidity' }),
    ])

    const log = await parts.audit.factsOf([id])
    const { badges, fusedScore, inputs } = await parts.scores.need(id)
    const whole = standingAt(mergedFacts(id, log), new Date())
    assert.deepEqual([badges, fusedScore], [whole.badges, whole.fusedScore])
    assert.deepEqual(inputs, inputsOf(id, log))
    assert.equal(log.filter(({ type }) => type === 'skill_verified').length, 1)
  })

  it('is of the whole log when a fact cancels another one that was recorded after the document was read', async () => {
    const { id } = await newAgent(harness)
    const { platform } = harness.platform.service('reputation')
    const parts: Parts = { ...platform, ...stores(platform) }
    const bond = (to: Parts, total: string, secondsAgo: number) =>
      record(to, event(), id, { type: 'bond', total, change: 'deposited' }, { at: new Date(Date.now() - secondsAgo * 1_000).toISOString() })
    await bond(parts, '0', 300)
    let reads = 0
    const overtaken: Parts = {
      ...parts,
      scores: {
        ...parts.scores,
        many: async ids => {
          const docs = await parts.scores.many(ids)
          if (++reads === 1) await bond(parts, '500000000', 200)
          return docs
        },
      },
    }

    await bond(overtaken, '0', 100)

    const whole = standingAt(mergedFacts(id, await parts.audit.factsOf([id])), new Date())
    assert.deepEqual([(await parts.scores.need(id)).bond, whole.bond], [0, 0])
  })

  it('is of the whole log when another process cancels a fact that is in the log and not in the standing yet', async () => {
    const { id } = await newAgent(harness)
    const [parts, others] = replicas()
    const bond = (to: Parts, total: string, secondsAgo: number) =>
      record(to, event(), id, { type: 'bond', total, change: 'deposited' }, { at: new Date(Date.now() - secondsAgo * 1_000).toISOString() })
    await bond(parts, '0', 300)
    const overtaken: Parts = { ...parts, audit: { ...parts.audit, ...moments['after the fact is in the log'](parts, () => bond(others, '0', 100)) } }

    await bond(overtaken, '500000000', 200)

    assert.equal((await parts.scores.need(id)).bond, 0)
  })
})
