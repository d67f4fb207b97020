import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Draft } from '@carapace/api'
import { commandOf, commands, commandTable } from '@carapace/chain'
import { until } from '@carapace/testing'
import type { FailedOp } from '../lane/records.ts'
import { laneAddress } from '../testing/keys.ts'
import { wallet } from '../testing/kit.ts'
import { kitPerTest } from '../testing/kit-per-test.ts'
import { newOp } from './intake.ts'
import { openOperator } from './operator.ts'

const chain = 'BASE_SEPOLIA'

describe("an operator's retry", function () {
  this.timeout(120_000)
  const kit = kitPerTest()
  const operatorOf = (sent: Draft[]) =>
    openOperator(kit.db, async drafts => {
      sent.push(...drafts)
    })

  it('of a sale of a name spends no payment of another buyer: its failure has freed the name and returned its own', async () => {
    await kit.start()
    const price = 50_000_000n
    const mint = commands.domainMint({
      ...{ chain, domainId: randomUUID(), n: 1, fullDomain: 'bought-twice.claw', owner: wallet(), texts: [] },
      sale: { price, source: { kind: 'custodial', from: laneAddress } },
    })
    await kit.send(mint)
    await until('it has failed', () => kit.of(mint.subject, 'failed')[0], 60)
    await kit.send(commands.faucetMint({ chain, requestId: randomUUID(), to: laneAddress, amount: price }))
    await until('the payment of another buyer has come', async () => (await kit.usdcOf(laneAddress)) === price)
    const sent: Draft[] = []

    await assert.rejects(operatorOf(sent).retry(mint.subject), { code: 'INVALID_STATE' })

    assert.deepEqual([sent, await kit.usdcOf(laneAddress)], [[], price])
  })

  it('is refused for each kind whose owner gives back what it had set aside, and for no other', async () => {
    const specs = Object.values(commandTable).map(({ kind }) => commandOf(kind)!)
    const ops = specs.map(({ kind }): FailedOp => {
      const command = { opKey: `${kind}:${randomUUID()}`, round: 1, network: chain, kind, args: {}, aggregateKey: kind } as const
      return { ...newOp(command, 'a lane', 1, 1, null), state: 'FAILED', error: { code: 'REVERTED', message: 'a test' } }
    })
    await kit.db.ops.insertMany(ops)
    const operator = operatorOf([])

    const refused: string[] = []
    for (const { _id, kind } of ops) await operator.retry(_id).catch(() => refused.push(kind))

    assert.deepEqual(refused.sort(), [
      ...['bond.deposit', 'bond.lock', 'bond.slash', 'bond.unslash', 'bond.withdraw', 'domain.mint'],
      ...['escrow.accept', 'escrow.lock', 'escrow.lock-x402', 'job.fund', 'reward.pay'],
    ])
    // a buyer whose payment was not settled has got nothing back
    const entries = specs.filter(({ isEntry }) => isEntry).map(({ kind }) => kind)
    assert.deepEqual(
      entries.filter(kind => !refused.includes(kind)),
      ['treasury.settle-x402'],
    )
  })
})
