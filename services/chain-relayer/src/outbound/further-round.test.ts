import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CloudEvent } from '@carapace/api'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { allowEscrow } from '../testing/allow.ts'
import { laneAddress } from '../testing/keys.ts'
import { dropFrom, wallet } from '../testing/kit.ts'
import { kitPerTest } from '../testing/kit-per-test.ts'
import { effectOf } from '../testing/workload.ts'

const chain = 'BASE_SEPOLIA'

describe('a further round whose effect an earlier one had', function () {
  this.timeout(120_000)
  const kit = kitPerTest()

  const head = async () => Number(await kit.rpc.call('eth_blockNumber', []))

  /** The first round had failed when its block came back: its transaction claims nothing any more, and is final. */
  async function hadFailed(opKey: string, done: Record<string, unknown>) {
    const failed = { state: 'FAILED', error: { code: 'REVERTED', message: 'dropped' }, result: null } as const
    await kit.db.ops.updateOne({ _id: opKey }, { $set: failed })
    const block = { number: Number(done.blockNumber), hash: String(done.blockHash), time: Number(done.blockTime) }
    const final = { state: 'FINAL', unfinished: false, block, minedHash: String(done.txHash) } as const
    await kit.db.txs.updateMany({ 'ops.opKey': opKey }, { $set: final, $unset: { liveOps: '' } })
  }

  it('is reorged with the block of that effect, carried out itself, and paid once', async () => {
    const first = await kit.start({ finality: 100 })
    const fund = commands.faucetMint({ chain, requestId: randomUUID(), to: kit.devnet.addresses.SwarmValidator, amount: 20n })
    await kit.send(fund)
    await until('funded', () => kit.of(fund.subject, 'confirmed')[0])
    const before = await head()
    const reward = { chain, claimId: randomUUID(), to: wallet() } as const
    const payment = commands.rewardPay({ ...reward, amount: 5n })
    const ofRound = (type: string, round: number): CloudEvent[] => kit.of(payment.subject, type).filter(({ data }) => data.round === round)
    await until('a block of its own', async () => (await head()) > before)
    await kit.send(payment)
    const { data: paid } = await until('paid', () => ofRound('confirmed', 1)[0])
    await first.close()
    await hadFailed(payment.subject, paid)
    await kit.start({ finality: 100 })
    await kit.send(commands.rewardPay({ ...reward, amount: 8n, round: 2 }))
    const { data: found } = await until('found', () => ofRound('confirmed', 2)[0])
    assert.deepEqual([found.already, found.txHash], [true, paid.txHash])

    await dropFrom(kit.rpc, Number(found.blockNumber))

    const { data: dropped } = await until('reorged', () => ofRound('reorged', 2)[0])
    assert.deepEqual([dropped.txHash, dropped.blockHash], [paid.txHash, found.blockHash])
    const { data: again } = await until('paid again', () => ofRound('confirmed', 2).find(({ data }) => Number(data.seq) > Number(dropped.seq)))
    assert.equal(again.already, false)
    const work = { draft: payment, to: reward.to, kind: 'token' } as const
    assert.equal(await effectOf(kit.rpc, kit.devnet.addresses, work), 8n)
  })

  for (const isIntakeFirst of [false, true])
    it(`has its logs where that was a lock from ${isIntakeFirst ? 'the intake' : 'an allowance'} and it is one from another source`, async () => {
      const signer = Wallet.createRandom()
      const poster = signer.address
      const amount = 5_000_000n
      const first = await kit.start({ finality: 100 })
      const fund = commands.faucetMint({ chain, requestId: randomUUID(), to: isIntakeFirst ? laneAddress : poster, amount })
      await kit.send(fund)
      await until('funded', () => kit.of(fund.subject, 'confirmed')[0])
      await allowEscrow(kit, signer, amount, 0)
      const gig = { chain, gigId: randomUUID(), poster, payee: wallet(), amount } as const
      const byAllowance = (round: number) => commands.escrowLock({ ...gig, round, source: { kind: 'allowance' } })
      const byIntake = (round: number) => commands.escrowLockX402({ ...gig, round })
      const [lock, other] = isIntakeFirst ? [byIntake(1), byAllowance(2)] : [byAllowance(1), byIntake(2)]
      await kit.send(lock)
      const { data: locked } = await until('locked', () => kit.of(lock.subject, 'confirmed')[0])
      await first.close()
      await hadFailed(lock.subject, locked)

      await kit.start({ finality: 100 })
      await kit.send(other)

      const { data: found } = await until('found', () => kit.of(other.subject, 'confirmed')[0])
      assert.deepEqual([found.round, found.already, found.txHash, found.logs], [2, true, locked.txHash, locked.logs])
      const payers = (found.logs as { event: string; args: { from?: string } }[])
        .filter(({ event }) => event === 'Transfer')
        .map(({ args }) => args.from)
      assert.deepEqual(payers, [isIntakeFirst ? laneAddress : poster])
    })
})
