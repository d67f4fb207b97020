import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentMigrated } from '@carapace/api'
import { currentVersion, formulas, mergedFacts, shadowVersion } from '@carapace/formula'
import { daySeconds, released, type TestAgent, until } from '@carapace/testing'
import { stores } from '../parts.ts'
import { type Harness, newAgent, startHarness, stranger } from '../testing/harness.ts'

const verifier = fileURLToPath(new URL('../../../../node_modules/.bin/carapace-verify-score', import.meta.url))

describe('a score, explained and exported', () => {
  let harness: Harness
  let [poster, worker] = [{} as TestAgent, {} as TestAgent]
  const folder = mkdtempSync(path.join(tmpdir(), 'carapace-'))
  const gigId = randomUUID()
  before(async () => {
    harness = await startHarness()
    poster = await newAgent(harness)
    worker = await newAgent(harness)
    await harness.platform.publish(released({ gigId, posterId: poster.id, assigneeId: worker.id }))
    for (const { id } of [poster, worker])
      await until('both sides have their fact', async () => (await get(`/api/audit?agentId=${id}&type=settled`)).total === 1)
    await until('the score has risen', async () => (await get(`/api/agents/${worker.id}/reputation`)).fusedScore > 15)
  })
  after(async () => {
    rmSync(folder, { recursive: true })
    await harness.close()
  })

  const get = async (url: string) => (await harness.call('GET', url)).body
  const verify = (exported: unknown) => {
    const file = path.join(folder, 'score.json')
    writeFileSync(file, JSON.stringify(exported))
    const { status, stderr } = spawnSync(process.execPath, [verifier, file], { encoding: 'utf8' })
    return { status, stderr }
  }

  it('names its payer by handle, in contributions that add up to each component', async () => {
    const { components, fusedScore, raises, shadow, formulaVersion } = await get(`/api/agents/${worker.handle}/reputation/explain`)

    const reputation = await get(`/api/agents/${worker.id}/reputation`)
    assert.deepEqual([fusedScore, formulaVersion], [reputation.fusedScore, reputation.formulaVersion])
    for (const [name, part] of Object.entries<{ value: number; contributions: { points: number }[] }>(components)) {
      const sum = part.contributions.reduce((total, { points }) => total + Math.round(1000 * points), 0)
      assert.deepEqual([part.value, sum], [reputation.components[name], Math.round(1000 * part.value)])
    }
    const [first] = components.gigPerformance.contributions
    assert.deepEqual([first.with, first.handle], [poster.id, poster.handle])
    assert.ok(first.text.startsWith(`${poster.handle} paid 1 gig`), first.text)
    assert.equal(first.handleAt, 0)
    assert.ok(raises.length > 0)
    assert.equal(shadow.formulaVersion, shadowVersion)
  })

  it('is computed again from its export by carapace-verify-score, which refuses another number', async () => {
    const exported = await get(`/api/audit/agents/${worker.id}/export`)

    assert.deepEqual(verify(exported), { status: 0, stderr: '' })
    assert.equal(exported.inputs.lastSeq, Math.max(...exported.facts.map(({ seq }: { seq: number }) => seq)))
    assert.deepEqual([exported.score.fusedScore, exported.inputs], await reputationOf(worker))
    const altered = verify({ ...exported, score: { ...exported.score, fusedScore: 99 } })
    assert.equal(altered.status, 1)
    assert.match(altered.stderr, /score\.fusedScore: the file says 99/)
  })

  const reputationOf = async ({ id }: TestAgent) => {
    const { fusedScore, inputs } = await get(`/api/agents/${id}/reputation`)
    return [fusedScore, inputs]
  }

  it('of the past is explained and exported by the moment of its row in the history', async () => {
    const { history } = await get(`/api/agents/${worker.id}/reputation`)
    const before = history.at(-1)

    const exported = await get(`/api/audit/agents/${worker.id}/export?at=${before.at}`)
    const explained = await get(`/api/agents/${worker.id}/reputation/explain?at=${before.at}`)

    assert.deepEqual([before.score, exported.score.fusedScore, explained.fusedScore], [15, 15, 15])
    assert.equal(exported.formulaVersion, before.formulaVersion)
    assert.deepEqual(verify(exported), { status: 0, stderr: '' })
    const { status } = await harness.call('GET', `/api/audit/agents/${worker.id}/export?at=2020-01-01T00:00:00.000Z`)
    assert.equal(status, 404)
  })

  it('has the formula it was made with, also when another one comes into force', async () => {
    const { platform } = harness.platform.service('reputation')
    const { scores } = stores(platform)
    const exported = await get(`/api/audit/agents/${worker.id}/export`)
    const log = exported.facts.map((fact: { at: string }) => ({ ...fact, at: new Date(fact.at) }))
    const now = new Date(exported.at)
    const score = formulas['3'].scoreOf(mergedFacts(worker.id, log), now)
    await scores.change(worker.id, doc => ({
      state: {
        ...doc,
        ...score,
        formulaVersion: '3',
        history: [{ score: score.fusedScore, at: now, formulaVersion: '3', inputs: doc.inputs! }, ...doc.history],
      },
      events: [],
    }))

    const [present, past] = [await get(`/api/audit/agents/${worker.id}/export`), (await get(`/api/agents/${worker.id}/reputation`)).history.at(-1)]
    const old = await get(`/api/agents/${worker.id}/reputation/explain?at=${past.at}`)
    assert.deepEqual([present.formulaVersion, verify(present)], ['3', { status: 0, stderr: '' }])
    assert.deepEqual([old.formulaVersion, old.fusedScore], [currentVersion, 15])
    assert.deepEqual(verify(await get(`/api/audit/agents/${worker.id}/export?at=${past.at}`)), { status: 0, stderr: '' })

    await harness.platform.advance(daySeconds)
    const next = await until('the formula in force has it with the next day', async () => {
      const found = await get(`/api/audit/agents/${worker.id}/export`)
      return found.formulaVersion === currentVersion && found
    })
    assert.deepEqual(verify(next), { status: 0, stderr: '' })
    const stored = await get(`/api/audit/agents/${worker.id}/export?at=${exported.at}`)
    assert.deepEqual([stored.formulaVersion, verify(stored)], ['3', { status: 0, stderr: '' }])
  })

  it('of an heir comes from the logs of both', async () => {
    const heir = await newAgent(harness)
    await harness.platform.publish(agentMigrated.of({ migrationId: randomUUID(), sourceAgentId: worker.id, targetAgentId: heir.id }))
    await until('the heir has the score', async () => (await get(`/api/agents/${heir.id}/reputation`)).fusedScore > 15)

    const exported = await get(`/api/audit/agents/${heir.id}/export`)

    assert.deepEqual(exported.inputs.sources, [worker.id])
    assert.deepEqual(verify(exported), { status: 0, stderr: '' })
  })

  it('does not exist for agents that do not', async () => {
    for (const url of [`/api/agents/${stranger}/reputation/explain`, `/api/audit/agents/${stranger}/export`])
      assert.equal((await harness.call('GET', url)).status, 404)
  })

  it('is made of facts that hold the other side as it was', async () => {
    const [forWorker] = (await get(`/api/audit?agentId=${worker.id}&type=settled`)).events
    const [forPoster] = (await get(`/api/audit?agentId=${poster.id}&type=settled`)).events

    assert.deepEqual([forWorker.details.theirStanding, forPoster.details.theirCredit], [0, 0])
    assert.deepEqual([forWorker.details.theirCredit, forPoster.details.theirStanding], [undefined, undefined])
  })

  it('can be compared with the one of the other formula', async () => {
    await harness.platform.advance(daySeconds)
    const answer = await until('the formulas are compared', async () => {
      const found = await get('/api/reputation/formulas')
      return found.comparison ? found : undefined
    })

    assert.deepEqual([answer.current, answer.shadow], [currentVersion, shadowVersion])
    assert.deepEqual(answer.market, { maturedAt: null, reason: null, vouchers: 0 })
  })
})
