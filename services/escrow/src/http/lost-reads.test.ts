import assert from 'node:assert/strict'
import { loseReads } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { sharedWorld } from '../testing/shared-world.ts'
import { deliveredGig } from '../testing/story.ts'
import { oracle, until } from '../testing/world.ts'

/** Past the first durable step a read that fails refuses nothing: what was asked for is carried out. */
describe('an operation whose database is away while its outcome is waited for', () => {
  const world = sharedWorld()
  const { call, bonded, bondedGig } = bondsIn(world)

  /** The reads of `collection` fail once the chain has a command of `kind`, until one has failed; then it is confirmed. */
  const without = async (collection: string, kind: string, request: () => ReturnType<typeof call>) => {
    let lost: ReturnType<typeof loseReads> | undefined
    world.chain = command => {
      if (command.kind !== kind) return 'confirm'
      lost ??= loseReads(world.platform.service('escrow').platform.db.connection.collection(collection))
      return 'wait'
    }
    const known = world.commands.length
    const answer = request()
    const command = await until('the command', () => world.commands.slice(known).find(sent => sent.kind === kind))
    await until('a read has failed', () => lost && lost.count() > 0)
    lost!.end()
    await world.outcome(command, 'confirm')
    return answer
  }

  it('answers a release with its transaction', async () => {
    const story = await deliveredGig(world)

    const { status, body } = await without('escrows', 'escrow.settle', () => call('/api/escrow/release', { gigId: story.gigId }, oracle))

    assert.deepEqual([status, body.status], [200, 'released'])
  })

  it('answers the release of a bond', async () => {
    const story = await bondedGig()
    story.row.status = 'cancelled'

    const { status, body } = await without('bonds', 'bond.unlock', () => call(`/api/bond/${story.worker.id}/unlock`, { gigId: story.gigId }, oracle))

    assert.deepEqual([status, body.bond?.locks], [200, []])
  })

  it('answers a deposit that is confirmed as under way when its event cannot be read', async () => {
    const agent = await bonded()
    const rows = world.platform.service('escrow').platform.db.connection.collection('bonds')
    let lost: ReturnType<typeof loseReads> | undefined
    world.chain = () => {
      lost ??= loseReads(rows)
      return 'wait'
    }

    const { status, body } = await call(`/api/bond/${agent.id}/deposit`, { amount: 30 }, agent.headers)
    lost!.end()

    assert.equal(status, 202)
    assert.match(body.statusUrl, new RegExp(`^/api/bond/${agent.id}/events/`))
    const state = async () => (await world.platform.call('GET', body.statusUrl, { headers: agent.headers })).body.onChain.status
    assert.equal(await state(), 'pending')
    await world.outcome(world.commands.findLast(({ kind }) => kind === 'bond.deposit')!, 'confirm')
    await until('it is done', async () => (await state()) === 'confirmed')
  })
})
