import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chainCommand } from '@carapace/api'
import { quiet, rabbitBus } from '@carapace/bus'
import { commands } from '@carapace/chain'
import { acquireBroker, until } from '@carapace/testing'
import { newOp } from '../outbound/intake.ts'
import { type Kit, startKit, wallet } from '../testing/kit.ts'
import type { Lane } from './lane.ts'

describe('a lane', () => {
  let kit: Kit
  let running: Lane
  before(async () => {
    kit = await startKit()
    running = (await kit.start()).current()!
  })
  after(() => kit.close())

  it('carries a command into a block and publishes every step', async () => {
    const requestId = randomUUID()
    const to = wallet()

    await kit.send(commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId, to, amount: 5_000_000n }))

    const opKey = `faucet.mint:${requestId}`
    const [finalized] = await until('finalized', () => kit.of(opKey, 'finalized').length > 0 && kit.of(opKey, 'finalized'))
    assert.deepEqual(
      kit.of(opKey).map(event => event.type),
      ['chain.command.faucet-mint.submitted.v1', 'chain.command.faucet-mint.confirmed.v1', 'chain.command.faucet-mint.finalized.v1'],
    )
    assert.equal(finalized!.subject, opKey)
    const [confirmed] = kit.of(opKey, 'confirmed')
    const transfer = (confirmed!.data.logs as { event: string; args: Record<string, string> }[]).find(log => log.event === 'Transfer')
    assert.equal(transfer?.args.to, to)
    assert.equal(transfer?.args.value, '5000000')
  })

  it('carries out what a former leader stored minutes after it gave it its place in the queue', async () => {
    const draft = commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId: randomUUID(), to: wallet(), amount: 1n })
    const receivedAt = Date.now() - 300_000
    await kit.db.ops.insertOne(newOp(chainCommand.parse(draft.data), running.id, receivedAt * 1_000, receivedAt, null))

    await until('confirmed', () => kit.of(draft.subject, 'confirmed').length > 0)
  })

  it('does the same on RabbitMQ', async function () {
    // A broker of its own needs seconds to start.
    this.timeout(120_000)
    const broker = await acquireBroker()
    const bus = rabbitBus({ log: quiet, url: broker.url, prefix: broker.prefix, service: 'chain-relayer' })
    const other = await startKit({ bus })
    try {
      await other.start()
      const draft = commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId: randomUUID(), to: wallet(), amount: 1n })

      await other.send(draft, draft)

      await until('finalized', () => other.of(draft.subject, 'finalized').length > 0)
      assert.equal(await other.db.txs.countDocuments({ 'ops.opKey': draft.subject }), 1)
    } finally {
      await other.close()
      await broker.stop()
    }
  })
})
