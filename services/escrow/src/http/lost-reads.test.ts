import assert from 'node:assert/strict'
import { loseReads } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { oracle, until } from '../testing/harness.ts'
import { deliveredGig } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

/** Past the first durable step a read that fails refuses nothing: the request is carried out. */
describe('an operation whose database is away while its outcome is waited for', () => {
  const harness = sharedHarness()
  const { call, bonded, bondedGig } = bondsIn(harness)

  /** The reads of `collection` fail once the chain has a command of `kind`, until one has failed; then it is confirmed. */
  const without = async (collection: string, kind: string, request: () => ReturnType<typeof call>) => {
    let lost: ReturnType<typeof loseReads> | undefined
    harness.chain = command => {
      if (command.kind !== kind) return 'confirm'
      lost ??= loseReads(harness.platform.service('escrow').platform.db.connection.collection(collection))
      return 'wait'
    }
    const before = harness.commands.length
    const answer = request()
    const command = await until('the command', () => harness.commands.slice(before).find(sent => sent.kind === kind))
    await until('a read has failed', () => lost && lost.count() > 0)
    lost!.end()
    await harness.outcome(command, 'confirm')
    return answer
  }

  it('answers a release with its transaction', async () => {
    const scenario = await deliveredGig(harness)

    const { status, body } = await without('escrows', 'escrow.settle', () => call('/api/escrow/release', { gigId: scenario.gigId }, oracle))

    assert.deepEqual([status, body.status], [200, 'released'])
  })

  it('answers the release of a bond', async () => {
    const scenario = await bondedGig()
    scenario.row.status = 'cancelled'

    const { status, body } = await without('bonds', 'bond.unlock', () =>
      call(`/api/bond/${scenario.worker.id}/unlock`, { gigId: scenario.gigId }, oracle),
    )

    assert.deepEqual([status, body.bond?.locks], [200, []])
  })

  it('answers a slash and its reversal as under way when they cannot be read', async () => {
    const agent = await bonded()
    const requests = [
      ['bond.slash', () => call(`/api/bond/${agent.id}/slash`, { amount: 10, reason: 'Fraud' }, oracle)],
      ['bond.unslash', () => call(`/api/admin/slashes/${slashId}/reverse`, { reason: 'Wrong agent' }, oracle)],
    ] as const
    let slashId = ''
    const rows = harness.platform.service('escrow').platform.db.connection.collection('slashes')
    for (const [kind, request] of requests) {
      let lost: ReturnType<typeof loseReads> | undefined
      harness.chain = () => {
        lost ??= loseReads(rows)
        return 'wait'
      }

      const { status, body } = await request()
      lost!.end()

      assert.equal(status, 202, JSON.stringify(body))
      const outcome = async () => (await harness.platform.call('GET', body.statusUrl, { headers: oracle })).body
      await harness.outcome(harness.commands.findLast(command => command.kind === kind)!, 'confirm')
      const { event } = await until('it is done', async () => {
        const shown = await outcome()
        return shown.onChain?.status === 'confirmed' && shown
      })
      slashId ||= event.id
    }
  })

  it('answers a deposit that is confirmed as under way when its event cannot be read', async () => {
    const agent = await bonded()
    const rows = harness.platform.service('escrow').platform.db.connection.collection('bonds')
    let lost: ReturnType<typeof loseReads> | undefined
    harness.chain = () => {
      lost ??= loseReads(rows)
      return 'wait'
    }

    const { status, body } = await call(`/api/bond/${agent.id}/deposit`, { amount: 30 }, agent.headers)
    lost!.end()

    assert.equal(status, 202)
    assert.match(body.statusUrl, new RegExp(`^/api/bond/${agent.id}/events/`))
    const state = async () => (await harness.platform.call('GET', body.statusUrl, { headers: agent.headers })).body.onChain.status
    assert.equal(await state(), 'pending')
    await harness.outcome(harness.commands.findLast(({ kind }) => kind === 'bond.deposit')!, 'confirm')
    await until('it is done', async () => (await state()) === 'confirmed')
  })
})
