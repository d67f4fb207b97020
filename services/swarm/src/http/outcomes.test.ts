import assert from 'node:assert/strict'
import { chainOutcome, hourMs } from '@carapace/api'
import { commandConfirmed, commandFailed, commandReorged, newHash, type TestAgent, until } from '@carapace/testing'
import { openCase, read, vote } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('the chain record of a vote', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(6)
  })
  after(() => harness.close())
  afterEach(() => {
    harness.chain = () => 'confirm'
  })

  /** A vote whose commands wait for an outcome. */
  const waiting = async () => {
    harness.chain = () => 'wait'
    const found = await openCase(harness)
    await vote(harness, found.validationId, found.panel[0]!, 'approve', { prefer: 'respond-async' })
    const commandOf = (kind: string) =>
      until(`the command ${kind} is sent`, () => harness.commands.find(({ opKey }) => opKey.startsWith(`${kind}:${found.validationId}`)))
    return { ...found, commandOf }
  }
  const stored = async (id: string) => {
    const found = await harness.platform
      .service('swarm')
      .platform.db.connection.collection<{ _id: string } & Record<string, unknown>>('validations')
      .findOne({ _id: id })
    return found as unknown as { opening: object; votes: object[]; panel: { replaced: boolean; replacement?: { status: string } }[] }
  }
  const recordOf = async (id: string) => {
    const { status, txHash, blockNumber, error } = (await read(harness, id)).onChain
    return { status, txHash, blockNumber, error }
  }

  it('is pending again after a reorganisation and names the transaction that confirms it next', async () => {
    const { validationId, commandOf } = await waiting()
    const command = await commandOf('swarm.vote')
    const [dead, live] = [newHash(), newHash()]
    await harness.platform.publish(commandConfirmed(command, { seq: 2, txHash: dead }))
    assert.deepEqual(await recordOf(validationId), { status: 'confirmed', txHash: dead, blockNumber: 5, error: null })

    await harness.platform.publish(commandReorged(command, { seq: 3 }))
    await harness.platform.publish(commandConfirmed(command, { seq: 2, txHash: dead }))
    assert.deepEqual(await recordOf(validationId), { status: 'pending', txHash: dead, blockNumber: null, error: null })
    await harness.platform.publish(commandConfirmed(command, { seq: 4, txHash: live }))

    assert.deepEqual(await recordOf(validationId), { status: 'confirmed', txHash: live, blockNumber: 5, error: null })
  })

  it('has failed when it fails after it was confirmed, and a late submission does not make it pending', async () => {
    const { validationId, commandOf } = await waiting()
    const command = await commandOf('swarm.vote')
    const hash = newHash()
    await harness.platform.publish(commandConfirmed(command, { seq: 2, txHash: hash }))
    await harness.platform.publish(commandFailed(command, { seq: 4 }))
    const { opKey, kind, network } = command
    const submitted = chainOutcome(kind).submitted.of({ opKey, kind, network, aggregateKey: 'test', round: 1, seq: 1, txHash: hash })
    for (const late of [commandReorged(command, { seq: 3 }), submitted]) await harness.platform.publish(late)

    assert.deepEqual(await recordOf(validationId), { status: 'failed', txHash: null, blockNumber: null, error: 'ERC20InsufficientBalance' })
  })

  it('has the next poll as its next deadline while it waits for the chain, then what time alone does to the panel', async () => {
    const { validationId, commandOf } = await waiting()
    const deadline = async () => (await read(harness, validationId)).nextDeadline
    assert.equal((await deadline())?.action, 'poll')

    for (const kind of ['swarm.open', 'swarm.vote']) await harness.platform.publish(commandConfirmed(await commandOf(kind), { seq: 2 }))

    const { expiresAt } = await read(harness, validationId)
    assert.deepEqual(await deadline(), { at: new Date(Date.parse(expiresAt) - 36 * hourMs).toISOString(), action: 'replace' })
    harness.chain = () => 'confirm'
    await harness.platform.advance(36 * 3600 + 1)
    assert.deepEqual(
      await until('half the window is over', async () => {
        const next = await deadline()
        return next?.action === 'expire' ? next : undefined
      }),
      { at: expiresAt, action: 'expire' },
    )
    await harness.platform.advance(36 * 3600 + 1)
    await until('it has ended', async () => (await deadline()) === null)
  })

  it('is shown with the records of its panel and of each replacement', async () => {
    const { validationId, commandOf } = await waiting()
    const opening = await commandOf('swarm.open')
    await harness.platform.publish(commandConfirmed(opening, { seq: 2 }))
    await harness.platform.publish(commandReorged(opening, { seq: 3 }))
    await harness.platform.advance(36 * 3600 + 1)
    const replacing = await commandOf('swarm.replace')
    await harness.platform.publish(commandFailed(replacing, { seq: 2 }))

    const { opening: opened, panel } = await stored(validationId)
    assert.deepEqual({ ...opened, txHash: null }, { round: 1, seq: 3, status: 'pending', txHash: null, blockNumber: null, error: null })
    assert.deepEqual(
      panel.filter(seat => seat.replacement?.status === 'failed').map(seat => seat.replaced),
      [true],
    )
  })

  it('follows outcomes where it was stored before they were numbered', async () => {
    const { validationId, commandOf } = await waiting()
    const command = await commandOf('swarm.vote')
    const validations = harness.platform.service('swarm').platform.db.connection.collection<{ _id: string }>('validations')
    await validations.updateOne({ _id: validationId }, { $unset: { 'votes.0.round': 1, 'votes.0.seq': 1, opening: 1 } })

    await harness.platform.publish(commandConfirmed(command))

    assert.equal((await recordOf(validationId)).status, 'confirmed')
  })
})
