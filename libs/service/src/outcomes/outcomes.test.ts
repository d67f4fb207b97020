import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  type CloudEvent,
  chainCommandType,
  chainEventRemoved,
  chainOutcome,
  chainRelayerApi,
  commandRoute,
  contractEvents,
  type Draft,
  outcomesOf,
  refuse,
  serviceApi,
} from '@carapace/api'
import { openDatabase } from '@carapace/store'
import {
  acquireMongo,
  commandConfirmed,
  commandFailed,
  commandMemory,
  commandReorged,
  newWallet,
  published,
  receiveCommands,
  startPlatform,
  stubPeer,
  type TestMongo,
  type TestPlatform,
  until,
} from '@carapace/testing'
import { defineService, on } from '../define.ts'
import type { Awaiting } from './awaiting.ts'
import { onlyPolled, onOutcomes } from './on-outcomes.ts'

describe('outcomes that a service waits for', () => {
  const api = serviceApi('social', {
    endpoints: {},
    consumes: [...outcomesOf(['faucet.mint'], ['confirmed', 'failed', 'finalized', 'reorged']), contractEvents['USDC.Transfer']!, chainEventRemoved],
  })
  let platform: TestPlatform
  let memory: ReturnType<typeof commandMemory>
  let isAway: boolean
  let failures: number
  let handled: string[]
  let awaiting: Awaiting[]
  let logs: CloudEvent[]
  let withdrawn: CloudEvent[]
  let received: string[]

  const handle = async (what: string) => {
    if (failures-- > 0) throw new Error('not now')
    handled.push(what)
  }
  const service = defineService({
    api,
    stores: () => ({}),
    http: () => ({}),
    events: () => [
      ...onOutcomes({
        'faucet.mint': {
          confirmed: ({ opKey }) => handle(opKey),
          failed: ({ opKey }) => handle(`failed ${opKey}`),
          finalized: async () => undefined,
          reorged: onlyPolled,
        },
      }),
      on(contractEvents['USDC.Transfer']!, ({ logId, final }) => (final ? handle(logId) : Promise.resolve())),
      on(chainEventRemoved, ({ logId }) => handle(`withdrawn ${logId}`)),
    ],
    awaits: async () => awaiting,
  })
  const relayer = stubPeer(chainRelayerApi, {
    chainOutcomes: ({ body }) => (isAway ? refuse('CHAIN_UNAVAILABLE') : memory.answer(body.operations)),
    chainLogs: ({ params, query }) => ({
      upTo: 7,
      more: false,
      events: params.chain === 'BASE_SEPOLIA' && query.after < 5 ? (logs as never) : [],
    }),
    chainRemovedLogs: ({ params, query }) => ({
      upTo: 9_000,
      more: false,
      events: params.chain === 'BASE_SEPOLIA' && query.since < 9_000 ? (withdrawn as never) : [],
    }),
  })
  const start = async (pollAfterMs?: number, mongo?: TestMongo) => {
    platform = await startPlatform([relayer, service], { ...(pollAfterMs === undefined ? {} : { pollAfterMs }), ...(mongo ? { mongo } : {}) })
    await receiveCommands(platform.bus, async ({ opKey }) => received.push(opKey))
  }
  beforeEach(() => {
    ;[memory, isAway, failures, handled, awaiting, logs, withdrawn, received] = [commandMemory(), false, 0, [], [], [], [], []]
  })
  afterEach(() => platform.close())

  const social = () => platform.service('social').platform
  const rows = () => social().db.connection.collection('chain_outcomes').countDocuments()
  const command = (): Draft => {
    const opKey = `faucet.mint:${randomUUID()}`
    const data = { opKey, round: 1, network: 'BASE_SEPOLIA', kind: 'faucet.mint', args: {}, aggregateKey: 'test' }
    return { exchange: 'commands', type: chainCommandType, routingKey: commandRoute('BASE_SEPOLIA'), subject: opKey, data }
  }
  const confirmation = ({ data }: Draft) => commandConfirmed(data as never)
  const send = async (draft = command()) => {
    await social().emit([draft])
    await until('it is on its way', () => received.includes(draft.subject))
    return draft
  }

  it('are polled when no message carried them, and then forgotten', async () => {
    await start(60)
    const draft = command()
    memory.note(confirmation(draft))

    await send(draft)

    await until('it is handled', () => handled.length > 0)
    assert.deepEqual(handled, [draft.subject])
    await until('nothing is open', async () => (await rows()) === 0)
  })

  it('are polled until the handler has accepted them', async () => {
    await start(60)
    failures = 3
    const draft = command()
    memory.note(confirmation(draft))

    await send(draft)

    await until('it is handled', () => handled.length > 0)
    assert.deepEqual([handled, failures], [[draft.subject], -1])
  })

  it('are handled again after the first pause, however often their handler fails', async () => {
    const firstMs = 1_000
    await start(firstMs)
    failures = Number.POSITIVE_INFINITY
    const draft = command()
    memory.note(confirmation(draft))
    const pauses: number[] = []

    await send(draft)

    await until('it has failed three times', async () => {
      const row = await social().db.connection.collection<{ nextAt: Date }>('chain_outcomes').findOne({})
      const nextAt = row!.nextAt.getTime()
      if (pauses.at(-1) !== nextAt) pauses.push(nextAt)
      return pauses.length > 3
    })
    const longest = Math.max(...pauses.slice(1).map((at, n) => at - pauses[n]!))
    assert.ok(longest < 3 * firstMs, `the longest pause is ${longest} ms`)
    failures = 0
    await until('it is handled', () => handled.length > 0)
  })

  it('wait for a relayer that does not answer', async () => {
    await start(60)
    isAway = true
    const draft = command()
    memory.note(confirmation(draft))
    await send(draft)

    isAway = false

    await until('it is handled', () => handled.length > 0)
  })

  it('of a command that the relayer never received come after it was sent again', async () => {
    await start(60)
    const draft = await send()

    await until('it is sent again', () => received.length > 1)

    assert.deepEqual(new Set(received), new Set([draft.subject]))
    memory.note(confirmation(draft))
    await until('it is handled', () => handled.length > 0)
  })

  it('are not handled twice when the message came too', async () => {
    await start(400)
    const draft = command()
    memory.note(confirmation(draft))
    await send(draft)
    await platform.publish(confirmation(draft))
    await until('it is handled', () => handled.length > 0)

    await until('nothing is open', async () => (await rows()) === 0)

    assert.deepEqual(handled, [draft.subject])
  })

  it('leave no row of what has ended: all are deleted together, at the latest when the process ends', async () => {
    const mongo = await acquireMongo()
    await start(undefined, mongo)
    const drafts = [await send(), await send(), await send()]
    const { name, connection } = social().db
    const collection = connection.collection('chain_outcomes')
    const bulkWrite = collection.bulkWrite.bind(collection)
    let deletes = 0
    Object.assign(collection, {
      bulkWrite: (operations: Parameters<typeof bulkWrite>[0], options: Parameters<typeof bulkWrite>[1]) => {
        if (operations.some(operation => 'deleteMany' in operation)) deletes++
        return bulkWrite(operations, options)
      },
    })
    for (const draft of drafts)
      await platform.publish(chainOutcome('faucet.mint').finalized.of(commandConfirmed(draft.data as never, { seq: 2 }).data as never))

    await platform.close()

    const db = await openDatabase({ uri: mongo.uri, name })
    assert.deepEqual([await db.connection.collection('chain_outcomes').countDocuments(), deletes], [0, 1])
    await db.close()
    await start(60)
    await mongo.close()
  })

  it('are polled again where the block of a command is dropped that had ended, and no record waits', async () => {
    await start(60)
    const draft = await send()
    const about = (seq: number) => ({ seq, txHash: `0x${'1'.repeat(64)}` })
    const { data } = commandConfirmed(draft.data as never, about(2))
    await platform.publish(chainOutcome('faucet.mint').finalized.of(data as never))
    await until('nothing is open', async () => (await rows()) === 0)

    await platform.publish(commandReorged(draft.data as never, { seq: 3 }))
    memory.note(commandFailed(draft.data as never, { seq: 4 }))

    await until('its failure is handled', () => handled.includes(`failed ${draft.subject}`))
    await until('nothing is open', async () => (await rows()) === 0)
  })

  it('are polled after a failure until no block can include its transaction, by each service that handled it', async () => {
    const { answer } = memory
    let ended = false
    memory.answer = operations => ({ outcomes: answer(operations).outcomes.map(outcome => ({ ...outcome, ended: outcome.ended && ended })) })
    await start(60)
    const [own, ofOthers] = [await send(), command()]

    for (const draft of [own, ofOthers]) {
      memory.received(draft.data as never)
      await platform.publish(commandFailed(draft.data as never, { seq: 2, txHash: `0x${'1'.repeat(64)}` }))
      await until('it is handled', () => handled.includes(`failed ${draft.subject}`))
      memory.note(commandConfirmed(draft.data as never, { seq: 3, already: true }))
      await until('its late effect is handled', () => handled.includes(draft.subject))
    }
    assert.equal(await rows(), 2)
    ended = true

    await until('nothing is open', async () => (await rows()) === 0)
    assert.equal(handled.length, 4)
  })

  it('are polled where a record waits and no row says so', async () => {
    const draft = command()
    memory.note(confirmation(draft))
    awaiting = [{ record: 'thing 1', opKey: draft.subject, round: 1, since: new Date(Date.now() - 60_000) }]

    await start(60)

    await until('it is handled', () => handled.includes(draft.subject))
  })

  it('are named by the doctor when the chain decided and the record has not moved on, or nobody knows the command', async () => {
    const [decided, unknown, young] = [command(), command(), command()]
    for (const draft of [decided, young]) memory.note(confirmation(draft))
    await start(20_000)
    const since = new Date(Date.now() - 60_000)
    awaiting = [
      { record: 'thing 1', opKey: decided.subject, round: 1, since },
      { record: 'thing 2', opKey: unknown.subject, round: 1, since },
      { record: 'thing 3', opKey: young.subject, round: 1, since: new Date() },
    ]

    const faults = await social().outcomes.faults()

    assert.equal(faults.length, 2)
    assert.match(faults[0]!, /^thing 1: the chain decided faucet.mint:\S+ at \S+, which is not handled here$/)
    assert.match(faults[1]!, /^thing 2: the relayer does not know faucet.mint:\S+ of round 1$/)
  })

  it('are named by the doctor 60,000 ms after they were sent, by default, and not before', async () => {
    const [late, young] = [command(), command()]
    for (const draft of [late, young]) memory.note(confirmation(draft))
    await start()
    awaiting = [
      { record: 'late', opKey: late.subject, round: 1, since: new Date(Date.now() - 60_000) },
      { record: 'young', opKey: young.subject, round: 1, since: new Date(Date.now() - 50_000) },
    ]

    const faults = await social().outcomes.faults()

    assert.deepEqual(
      faults.map(line => line.split(':')[0]),
      ['late'],
    )
  })

  const place = { txHash: `0x${'1'.repeat(64)}`, blockNumber: 5, blockHash: `0x${'2'.repeat(64)}`, blockTime: 1 }
  const args = { from: newWallet(), to: newWallet(), value: '1' }
  const transferLog = {
    ...{
      logId: 'BASE_SEPOLIA:0x2:0',
      network: 'BASE_SEPOLIA' as const,
      contract: 'USDC',
      event: 'Transfer',
      args,
      address: newWallet(),
      logIndex: 0,
    },
    ...place,
  }

  it('of contracts are compared at the start: a final log is handled once, again after its handler failed', async () => {
    const transfer = contractEvents['USDC.Transfer']!.of({ ...transferLog, final: true })
    logs = [published(transfer).event]
    failures = 1

    await start(60)

    await until('it is handled', () => handled.length > 0)
    await until('nothing is open', async () => (await rows()) === 0)
    assert.deepEqual(handled, ['BASE_SEPOLIA:0x2:0'])
    const cursor = await social().db.connection.collection<{ _id: string; block: number }>('chain_log_cursors').findOne({ _id: 'BASE_SEPOLIA' })
    assert.equal(cursor?.block, 7)
  })

  it('of contracts are compared at the start: a withdrawn log is handled, again after its handler failed, and once', async () => {
    withdrawn = [published(chainEventRemoved.of(transferLog)).event]
    failures = 1

    await start(60)

    await until('it is handled', () => handled.length > 0)
    await until('nothing is open', async () => (await rows()) === 0)
    const cursors = social().db.connection.collection<{ _id: string; withdrawnUpTo: number }>('chain_log_cursors')
    await until('the position is stored', async () => (await cursors.findOne({ _id: 'BASE_SEPOLIA' }))?.withdrawnUpTo === 9_000)
    assert.deepEqual(handled, ['withdrawn BASE_SEPOLIA:0x2:0'])
  })
})
