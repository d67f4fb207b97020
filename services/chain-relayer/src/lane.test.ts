import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { type Kit, startKit, wallet } from './testing/kit.ts'

describe('a lane', () => {
  let kit: Kit
  before(async () => {
    kit = await startKit()
    await kit.start()
  })
  after(() => kit.close())

  it('carries a command into a block and tells every step', async () => {
    const requestId = randomUUID()
    const to = wallet()

    await kit.send(commands.faucetMint({ chain: 'BASE_SEPOLIA', requestId, to, amount: 5_000_000n }))

    const opKey = `faucet.mint:${requestId}`
    const [finalized] = await until('finalized', () => kit.of(opKey, 'finalized').length > 0 && kit.of(opKey, 'finalized'))
    assert.deepEqual(
      kit.of(opKey).map(event => event.type),
      ['chain.command.submitted.v1', 'chain.command.confirmed.v1', 'chain.command.finalized.v1'],
    )
    assert.equal(finalized!.subject, opKey)
    const [confirmed] = kit.of(opKey, 'confirmed')
    const transfer = (confirmed!.data.logs as { event: string; args: Record<string, string> }[]).find(log => log.event === 'Transfer')
    assert.equal(transfer?.args.to, to)
    assert.equal(transfer?.args.value, '5000000')
  })
})
