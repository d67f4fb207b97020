import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { dayMs } from '@carapace/api'
import { newWallet, type TestAgent, until } from '@carapace/testing'
import { concat, keccak256, toBeHex, toUtf8Bytes } from 'ethers'
import mongoose from 'mongoose'
import { openCase, read, seated } from '../testing/cases.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

interface Draw {
  submissionId: string
  blockHash: string
  salt: string
  beacon: string
  listVersion: number
  listSize: number
  read: ReadCandidate[]
  order: string[]
}
interface ReadCandidate {
  place: number
  agentId: string
  score: number
  hasRequiredSkill: boolean
  judgement: number
  tied: boolean
  isEligible: boolean
}

describe('the draw of a panel over HTTP', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await startHarness(6)
  })
  afterEach(() => harness.close())

  const get = async (path: string) => (await harness.call('GET', path)).body
  const drawOf = (validationId: string): Promise<Draw> => get(`/api/swarm/validations/${validationId}/draw`)
  const holderOf = async (place: number, version: number): Promise<string | null> =>
    (await get(`/api/swarm/candidates/changes?place=${place}&untilVersion=${version}&limit=1`)).changes[0]?.agentId
  const database = () => harness.platform.service('swarm').platform.db.connection

  /** The order that the published facts give, by behaviour 5.1 alone. */
  function redrawn({ beacon, read: facts }: Draw): string[] {
    const value = ({ agentId, score, hasRequiredSkill }: ReadCandidate) => {
      const tickets = 1 + Math.floor(score / 20) + (hasRequiredSkill ? 2 : 0)
      return Array.from({ length: tickets }, (_, n) => keccak256(concat([beacon, toUtf8Bytes(agentId), toBeHex(n, 1)]))).sort()[0]!
    }
    const isDeferred = ({ agentId, judgement }: ReadCandidate) => {
      const share = Math.max(30_000, Math.min(1_000_000, Number((1_000_000n * BigInt(judgement) ** 4n) / 700_000n ** 4n)))
      return Number(keccak256(concat([beacon, toUtf8Bytes(agentId), '0xff'])).slice(0, 10)) * 1e6 >= share * 2 ** 32
    }
    return facts
      .filter(({ isEligible }) => isEligible)
      .sort((a, b) => Number(a.tied) - Number(b.tied) || Number(isDeferred(a)) - Number(isDeferred(b)) || (value(a) < value(b) ? -1 : 1))
      .map(({ agentId }) => agentId)
  }

  it('can be made again by anybody from what is published', async () => {
    const found = await openCase(harness)

    const draw = await drawOf(found.validationId)

    assert.equal(draw.beacon, keccak256(concat([toUtf8Bytes(draw.submissionId), draw.blockHash, draw.salt])))
    assert.deepEqual(
      draw.read.map(({ place }) => place),
      Array.from({ length: draw.listSize }, (_, place) => place),
    )
    for (const { place, agentId } of draw.read) assert.equal(await holderOf(place, draw.listVersion), agentId)
    assert.deepEqual(draw.order, redrawn(draw))
    const { candidateCount, validators } = await read(harness, found.validationId)
    assert.deepEqual(
      validators.map(({ id }: { id: string }) => id),
      draw.order.slice(0, candidateCount),
    )
  })

  it('cannot be foreseen by those who know submission and block: each has a salt of its own', async () => {
    const draws = [await drawOf((await openCase(harness)).validationId), await drawOf((await openCase(harness)).validationId)]

    for (const { salt, submissionId, blockHash, beacon } of draws) {
      assert.match(salt, /^0x[0-9a-f]{64}$/)
      assert.notEqual(beacon, keccak256(concat([toUtf8Bytes(submissionId), blockHash])))
    }
    assert.notEqual(draws[0]!.salt, draws[1]!.salt)
  })

  it('is made once: a process that opens the validation after another one has stopped uses the draw that is stored', async () => {
    const found = await openCase(harness)
    const before = await drawOf(found.validationId)
    await database().collection<{ _id: string }>('validations').deleteOne({ _id: found.validationId })

    const { status, body } = await harness.call('POST', '/api/swarm/validate', { body: { gigId: found.gigId }, headers: found.poster.headers })

    assert.equal(status, 201)
    assert.notEqual(body.validationId, found.validationId)
    const { beacon, salt, blockHash, order } = await drawOf(body.validationId)
    assert.deepEqual(
      { beacon, salt, blockHash, order },
      { beacon: before.beacon, salt: before.salt, blockHash: before.blockHash, order: before.order },
    )
    assert.deepEqual(seated(body), found.panel)
    const stored = await database()
      .collection<{ _id: string; beacon: string; partyWallets: string[] }>('validations')
      .findOne({ _id: body.validationId })
    assert.deepEqual([stored!.beacon, new Set(stored!.partyWallets)], [beacon, new Set([found.poster.wallet, found.assignee.wallet])])
  })

  it('is shown also when it was stored before there was a salt', async () => {
    const found = await openCase(harness)
    const draws = database().collection<{ _id: string; submissionId: string; salt?: string }>('draws')
    const { salt: _, ...early } = (await draws.findOne({ submissionId: (await drawOf(found.validationId)).submissionId }))!
    await draws.deleteOne({ _id: early._id })
    await draws.insertOne({ ...early, _id: found.validationId })

    const draw = await drawOf(found.validationId)

    assert.deepEqual([draw.salt, draw.order.length], [undefined, 6])
  })

  it('counts how reliably each candidate judges, as reputation has published it', async () => {
    const { id: agentId } = await newAgent(harness)
    const components = { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 }
    const standing = {
      ...{
        fusedScore: 20,
        previousScore: 15,
        tier: 'Hatchling' as const,
        riskScore: 0,
        riskLevel: 'low' as const,
        components,
        badges: [],
        formulaVersion: '1',
      },
      ...{ totalGigsCompleted: 0, totalEarned: 0n, gigCompletionRate: 0, computedAt: new Date().toISOString() },
    }
    await harness.platform.publish(api.scoreChanged.of({ agentId, ...standing, judgement: 100_000, previousJudgement: 700_000 }))

    const draw = await until('a draw reads it', async () => {
      const made = await drawOf((await openCase(harness)).validationId)
      return made.read.some(one => one.agentId === agentId && one.judgement === 100_000) && made
    })

    assert.ok(draw.read.filter(one => one.agentId !== agentId).every(({ judgement }) => judgement === 700_000))
    assert.deepEqual(draw.order, redrawn(draw))
  })

  it('names those who were read and must not judge', async () => {
    const found = await openCase(harness)

    const { read: facts, order } = await drawOf(found.validationId)

    const refused = facts.filter(({ isEligible }) => !isEligible).map(({ agentId }) => agentId)
    assert.deepEqual(new Set(refused), new Set([found.poster.id, found.assignee.id]))
    assert.ok(!order.some(agentId => refused.includes(agentId)))
  })

  const many = 600
  /** Agents that are in no list yet. */
  const insertAgents = async (count: number) => {
    const old = new Date(Date.now() - dayMs)
    const rows = Array.from({ length: count }, () => {
      const [_id, wallet] = [randomUUID(), newWallet()]
      return {
        ...{ _id, rev: 1, writers: {}, handle: `a-${_id.slice(0, 8)}`, wallet, walletKey: wallet.toLowerCase(), status: 'active', platform: false },
        ...{ skills: [], verifiedSkills: [], preferredChain: 'BASE_SEPOLIA', registeredAt: old, lastSeenAt: old },
      }
    })
    await database().collection<(typeof rows)[number]>('agents').insertMany(rows)
  }
  const listSize = async () => (await database().collection<{ _id: string; size: number }>('candidate_list').findOne({ _id: 'list' }))?.size ?? 0

  it('costs as many reads from a long list as from a short one', async () => {
    await openCase(harness)
    const ofShortList = await readsOf(() => openCase(harness))
    await insertAgents(many)
    await until('the list is long', async () => {
      await harness.platform.advance(1)
      return (await listSize()) > many
    })

    const ofLongList = await readsOf(() => openCase(harness))

    assert.deepEqual([ofLongList, ofShortList], [2, 2])
  }).timeout(120_000)

  /** Reads of the list of candidates and of what a draw needs to know of them, while the work runs. */
  const readsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const drawn = new Set(['candidate_list', 'crews', 'ties'])
    const isOfDraw = (name: string, filter: unknown) => drawn.has(name) || (name === 'agents' && JSON.stringify(filter).includes('"place"'))
    const collections = mongoose.mongo.Collection.prototype
    const { aggregate, find } = collections
    let reads = 0
    const counted = <F extends (...args: never[]) => unknown>(read: F) =>
      function (this: mongoose.mongo.Collection, ...args: never[]) {
        if (this.dbName.endsWith('swarm') && isOfDraw(this.collectionName, args[0])) reads++
        return read.apply(this, args)
      } as F
    Object.assign(collections, { aggregate: counted(aggregate), find: counted(find) })
    await work().finally(() => Object.assign(collections, { aggregate, find }))
    return reads
  }

  it('reads a bounded number of a long list, also of agents from before there was one, at the places that the beacon gives', async () => {
    await insertAgents(many)
    const found = await openCase(harness)

    const draw = await drawOf(found.validationId)
    assert.ok(draw.listSize >= many)
    const places: number[] = []
    for (let i = 0; places.length < draw.read.length; i++) {
      const place = Number(BigInt(keccak256(concat([draw.beacon, toBeHex(i, 4)]))) % BigInt(draw.listSize))
      if (!places.includes(place)) places.push(place)
    }
    assert.deepEqual(
      draw.read.map(({ place }) => place),
      places,
    )
    assert.equal(draw.read.filter(({ isEligible }) => isEligible).length, 64)
    assert.deepEqual(
      draw.order,
      redrawn(draw).filter(agentId => draw.order.includes(agentId)),
    )
    assert.equal(seated(await read(harness, found.validationId)).length, 3)
  }).timeout(120_000)

  it('answers 404 for a validation that there is none of', async () => {
    assert.equal((await harness.call('GET', `/api/swarm/validations/${randomUUID()}/draw`)).status, 404)
  })

  it('is from a list without gaps, also after agents left and came back', async () => {
    const agents = [await newAgent(harness), await newAgent(harness), await newAgent(harness)]
    const statusIs = ({ id: agentId, wallet }: TestAgent, status: 'active' | 'suspended') => {
      const change = { status, wallet, formerWallet: null, cause: 'admin' as const, reason: 'x' }
      return harness.platform.publish(api.agentStatusChanged.of({ agentId, handle: 'one', ...change }), ++version)
    }
    let version = 100
    await statusIs(agents[0]!, 'suspended')
    await statusIs(agents[1]!, 'suspended')
    await statusIs(agents[0]!, 'active')

    const isListed = (ids: string[]) =>
      until('the list is as the agents are', async () => {
        const { changes } = await get('/api/swarm/candidates/changes?limit=100')
        const left = new Set(changes.map(({ leftAgentId }: { leftAgentId: string | null }) => leftAgentId))
        if (!left.has(agents[0]!.id) || !left.has(agents[1]!.id)) return false
        const size = changes[0].size
        const held = new Map<number, string | null>()
        for (const change of [...changes].reverse()) held.set(change.place, change.agentId)
        const listed = Array.from({ length: size }, (_, place) => held.get(place))
        return listed.every(Boolean) && new Set(listed).size === size && ids.every(id => listed.includes(id)) && !listed.includes(agents[1]!.id)
      })
    await isListed([agents[0]!.id, agents[2]!.id])
  })
})
