import assert from 'node:assert/strict'
import { type ChainCommand, type CloudEvent, type CommandKind, chainCommandType, chainOutcome, contractEvents } from '@carapace/api'
import { lossyBus, type Player, until } from '@carapace/testing'
import { platformAroundTests } from '../testing/around-tests.ts'
import { deliver, escrowIs, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'
import { assertPaid } from '../testing/scenarios.ts'

const chain = 'BASE_SEPOLIA'

describe('a message that is lost', function () {
  this.timeout(180_000)
  const bus = lossyBus()
  const platform = platformAroundTests({ wrapBus: bus.wrap, pollAfterMs: 400, validators: true })

  const outcomesOf = (kind: CommandKind) => {
    const { submitted, confirmed, finalized } = chainOutcome(kind)
    return ({ type }: CloudEvent) => [submitted, confirmed, finalized].some(event => event.type === type)
  }
  const balanceOf = async ({ id, headers }: Player) => (await platform.call('GET', `/api/agents/${id}/treasury/balance`, { headers })).body.balance

  it('does not leave an escrow in funding: its lock is requested', async () => {
    bus.lose(outcomesOf('escrow.lock'), 3)

    const { gigId } = await fundedJob(platform)

    await escrowIs(platform, gigId, 'locked')
    assert.ok(bus.lost.some(({ type }) => type === chainOutcome('escrow.lock').confirmed.type))
  })

  it('does not leave a paid worker without its receipt', async () => {
    const job = await fundedJob(platform)
    await deliver(platform, job)
    const { id, panel } = await openPanel(platform, job)
    bus.lose(outcomesOf('escrow.settle'), 3)
    bus.lose(({ type }) => type === contractEvents['Escrow.EscrowReleased']!.type, 2)

    await vote(platform, id, panel.slice(0, 2), 'approve')

    await gigIs(platform, job.gigId, 'completed')
    await assertPaid(platform, job)
  })

  it('is sent again when it was the command, and has one effect', async () => {
    bus.lose(({ type, data }) => type === chainCommandType && (data as ChainCommand).kind === 'escrow.lock')

    const { gigId, poster, before } = await fundedJob(platform)

    await escrowIs(platform, gigId, 'locked')
    assert.equal(await platform.usdcOf(chain, poster.wallet.address), before.poster - 40_000_000n)
    assert.equal(bus.lost.at(-1)?.type, chainCommandType)
  })

  it('does not separate a deposit from its wallet, which is credited once', async () => {
    const agent = await platform.newPlayer()
    const { depositAddress } = await platform.post(`/api/agents/${agent.id}/treasury/fund`, {}, agent.headers)
    bus.lose(({ type, data }) => type === contractEvents['USDC.Transfer']!.type && data.final === true)

    await platform.faucet(depositAddress, 25, chain)

    await until('the deposit is credited', async () => (await balanceOf(agent)) > 0)
    assert.equal(await balanceOf(agent), 25_000_000)
    const { transactions } = (await platform.call('GET', `/api/agents/${agent.id}/treasury/history`, { headers: agent.headers })).body
    assert.equal(transactions.length, 1)
    assert.equal(bus.lost.at(-1)?.type, contractEvents['USDC.Transfer']!.type)
  })
})
