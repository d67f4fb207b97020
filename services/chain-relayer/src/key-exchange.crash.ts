import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CloudEvent, chainRelayerApi, outcomeNameOf } from '@carapace/api'
import { type Bus, quiet, rabbitBus } from '@carapace/bus'
import { databaseName, makePeers } from '@carapace/service'
import { openDatabase } from '@carapace/store'
import { acquireBroker, acquireMongo, type Program, published, startProgram, until } from '@carapace/testing'
import { type Collections, openCollections } from './lane/collections.ts'
import { openRpc } from './rpc/open.ts'
import type { Rpc } from './rpc/rpc.ts'
import { changeRoles } from './testing/exchange-roles.ts'
import { laneAddress, laneKey, nextAddress, nextKey } from './testing/keys.ts'
import { connected, dropFrom, type TestDevnet, testDevnet } from './testing/kit.ts'
import { allOver, assertExactlyOnce, makeWork, type Work } from './testing/workload.ts'

const chain = 'BASE_SEPOLIA'
/** Blocks follow the commands: the devnet reorganises some fifty of them at most. */
const paceMs = 400
const internalKey = 'k'.repeat(32)
const former = `${chain}:${laneAddress}`
const next = `${chain}:${nextAddress}`

/** Two relayers as they are deployed: programs with a broker and a database. Their keys are exchanged by the steps of docs/operate.md. */
describe('the key of two relayers that is exchanged', function () {
  this.timeout(300_000)
  const ends: (() => Promise<unknown>)[] = []
  const own = <T>(part: T, end: (part: T) => Promise<unknown>): T => {
    ends.push(() => end(part))
    return part
  }
  const events: CloudEvent[] = []
  const work: Work[] = []
  let environment: Record<string, string>
  let devnet: TestDevnet
  let rpc: Rpc
  let db: Collections
  let bus: Bus
  before(async () => {
    const folder = own(await mkdtemp(path.join(tmpdir(), 'carapace-keys-')), one => rm(one, { recursive: true, force: true }))
    const broker = own(await acquireBroker(), one => one.stop())
    const mongo = own(await acquireMongo(), one => one.close())
    devnet = own(await testDevnet(chain, { heartbeatMs: 1_000 }), one => one.close())
    const database = own(await openDatabase({ uri: mongo.uri, name: databaseName('chain-relayer', mongo.prefix) }), one => one.close())
    db = await openCollections(database)
    rpc = own(openRpc({ url: devnet.wsUrl, timeoutMs: 5_000 }), one => one.close())
    await connected(rpc)
    bus = own(rabbitBus({ log: quiet, url: broker.url, service: 'test' }), one => one.close())
    await bus.subscribe({ name: 'carapace.test', exchange: 'events', bindings: ['chain.command.#'] }, async event => {
      events.push(event)
    })
    const addresses = path.join(folder, 'addresses.json')
    await writeFile(addresses, JSON.stringify({ addresses: devnet.addresses, startBlock: 0 }))
    environment = {
      PORT: '0',
      INTERNAL_KEY: internalKey,
      MONGODB_URI: mongo.uri,
      DB_PREFIX: mongo.prefix,
      AMQP_URL: broker.url,
      BASE_SEPOLIA_RPC_URL: devnet.rpcUrl,
      BASE_SEPOLIA_ADDRESSES: addresses,
      CUSTODY_SEED_FILE: path.join(folder, 'custody.json'),
      CUSTODY_PASSPHRASE: 'a passphrase for tests',
    }
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  const start = async (keys: Record<string, string>): Promise<Program> => {
    const file = fileURLToPath(new URL('main.js', import.meta.url))
    const program = own(startProgram(file, { ...environment, ...keys }), async ({ child }) => child.kill('SIGKILL'))
    await until('it is ready', () => program.lines.some(({ msg }) => msg === 'ready'))
    return program
  }
  const startFails = async (keys: Record<string, string>): Promise<string> => {
    const program = startProgram(fileURLToPath(new URL('main.js', import.meta.url)), { ...environment, ...keys })
    await until('it has ended', () => program.child.exitCode !== null)
    assert.notEqual(program.child.exitCode, 0)
    return `${program.errors()}${JSON.stringify(program.lines)}`
  }
  const urlOf = (program: Program) => String(program.lines.find(({ msg }) => msg === 'ready')!.url)
  const statusOf = (program: Program) =>
    makePeers(() => urlOf(program), internalKey).call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain } })
  const of = (opKey: string, type?: string) => events.filter(event => event.data.opKey === opKey && (!type || outcomeNameOf(event.type) === type))
  const leads = (program: Program) => until('it leads', async () => (await statusOf(program)).leading)
  const publish = async (pieces: readonly Work[]) => {
    work.push(...pieces)
    await bus.publish(pieces.map(({ draft }) => published(draft)))
  }
  /** Sends commands all the time, until it is stopped. */
  const steadily = () => {
    let isOver = false
    const loop = async () => {
      while (!isOver) {
        await publish(makeWork(2))
        await new Promise(resolve => setTimeout(resolve, paceMs))
      }
    }
    const over = loop()
    return async () => {
      isOver = true
      await over
    }
  }
  /** In a later term: a block that is not final and is dropped between two terms is published as dropped by neither, its commands are confirmed again. */
  const retiresAfter = (epoch: number) =>
    until('a process has begun to finish what the former key accepted', async () => {
      const lease = await db.leases.findOne({ _id: former })
      return lease?.retiring === true && lease.beginning !== true && lease.epoch > epoch
    })
  const sentBy = (lane: string) => db.txs.countDocuments({ lane, nonce: { $ne: null } })

  it('loses and doubles no command, though leaders are killed and the last transaction of the former key is reorganised', async () => {
    const formerKeys = { RELAYER_KEY_BASE_SEPOLIA: laneKey }
    const bothKeys = { RELAYER_KEY_BASE_SEPOLIA: nextKey, RELAYER_KEY_BASE_SEPOLIA_RETIRING: laneKey }
    const nextKeys = { RELAYER_KEY_BASE_SEPOLIA: nextKey }
    const leader = await start(formerKeys)
    await leads(leader)
    const standby = await start(formerKeys)
    const stop = steadily()
    await until('commands are confirmed', () => work.length > 0 && of(work[0]!.draft.subject, 'confirmed').length > 0)

    assert.match(await startFails(bothKeys), new RegExp(`the key ${nextAddress} cannot be used: it lacks OPERATOR on Batcher`))
    assert.equal(await changeRoles(devnet, 'grant', nextAddress), true)
    // one after the other, the leader at last: it is killed with transactions under way
    assert.equal(await standby.terminate(), 0)
    const second = await start(bothKeys)
    assert.deepEqual([(await statusOf(second)).leading, (await sentBy(next)) > 0], [false, false])
    await publish(makeWork(60))
    await until('some are under way', async () => (await db.txs.countDocuments({ lane: former, state: { $in: ['SIGNED', 'ACCEPTED'] } })) > 0)
    leader.child.kill('SIGKILL')
    await leads(second)
    await until('the new key sends', async () => (await sentBy(next)) > 2)
    second.child.kill('SIGKILL')
    const { epoch } = (await db.leases.findOne({ _id: former }))!
    const third = await start(bothKeys)
    await leads(third)
    await retiresAfter(epoch)
    const accepted = await db.ops.countDocuments({ lane: former })
    await until(
      'the former key has nothing under way',
      async () => (await db.txs.countDocuments({ lane: former, block: null, nonce: { $ne: null } })) === 0,
    )
    const [last] = await db.txs
      .find({ lane: former, nonce: { $ne: null } })
      .sort({ nonce: -1 })
      .limit(1)
      .toArray()
    await dropFrom(rpc, last!.block!.number)
    const lastOps = last!.ops.map(({ opKey }) => opKey)
    await until('it is published as reorged', () => lastOps.every(opKey => of(opKey, 'reorged').length > 0), 90)
    const fourth = await start(bothKeys)
    // it led minutes ago, as far as the relayers know
    await db.leases.updateOne({ _id: former }, { $set: { retiringSince: new Date(0) } })
    const { retiring } = await until(
      'the former key is drained',
      async () => {
        const status = await statusOf(third)
        return status.retiring?.drained === true && status
      },
      90,
    )
    assert.deepEqual(retiring, { address: laneAddress, commands: 0, transactions: 0, usdc: '0', drained: true })
    assert.equal(await db.ops.countDocuments({ lane: former }), accepted, 'the former key accepts nothing more')

    assert.equal(await changeRoles(devnet, 'revoke', laneAddress), true)
    assert.equal(await fourth.terminate(), 0)
    const fifth = await start(nextKeys)
    assert.equal(await third.terminate(), 0)
    await leads(fifth)
    const before = work.length
    await until('commands are confirmed', () => work.length > before && of(work[before]!.draft.subject, 'confirmed').length > 0)
    await stop()
    await allOver({ db }, work, 60)
    await assertExactlyOnce({ db, rpc, devnet, of }, work)
    assert.deepEqual((await statusOf(fifth)).laneAddresses?.toSorted(), [laneAddress, nextAddress].sort())
    assert.equal(await fifth.terminate(), 0)
  })
})
