import assert from 'node:assert/strict'
import { type Player, until } from '@carapace/testing'
import { platformAroundTests } from '../../testing/around-tests.ts'
import { untilHealthy } from '../../testing/health.ts'
import { escrowIs, gigIs, gigOf, micro, openPanel, vote } from '../../testing/job.ts'
import { reorganise as replaceBlocks, reversibleBlocks, signedCall } from '../../testing/reorganise.ts'

const chain = 'BASE_SEPOLIA'
const budget = 40

describe('a gig of which the chain reverses something', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ ...reversibleBlocks, validators: true })

  const reorganise = ({ blockNumber }: { blockNumber: number }, transactions: readonly string[]) =>
    replaceBlocks(platform, chain, blockNumber, transactions)
  const signed = (player: Player, contract: 'usdc' | 'bond', call: 'approve' | 'withdraw', values: unknown[]): Promise<string> =>
    signedCall(platform, chain, player, platform.networks[chain].contracts[contract], call, values)
  const lock = (gigId: string, { headers }: Player) => platform.post('/api/escrow/create', { gigId, amount: budget }, headers)
  const shows = (gigId: string, status: string) =>
    until(`the gig shows ${status}`, async () => (await gigOf(platform, gigId)).escrowStatus === status)
  const notificationsOf = async ({ id }: Player, gigId: string, about = 'escrow_'): Promise<string[]> => {
    const { notifications } = await platform.get(`/api/agents/${id}/notifications?limit=100`)
    return notifications.flatMap(({ type, metadata }: { type: string; metadata: { gigId?: string } }) =>
      type.startsWith(about) && metadata.gigId === gigId ? [type] : [],
    )
  }
  const treasuryOf = async ({ id, headers }: Player): Promise<[available: number, reserved: number]> => {
    const { body } = await platform.call('GET', `/api/agents/${id}/treasury/balance`, { headers })
    return [body.balance, body.reserved]
  }
  const assertHealthy = () => untilHealthy(platform, 60)

  const hire = async (gigId: string, poster: Player, worker: Player) => {
    await platform.post(`/api/gigs/${gigId}/apply`, { proposal: 'I know vaults.' }, worker.headers)
    await platform.post(`/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: worker.id }, poster.headers)
  }
  const workIsApproved = async (gigId: string, poster: Player, worker: Player) => {
    await platform.post(`/api/gigs/${gigId}/submit-deliverable`, { deliverableUrl: 'https://example.org/report' }, worker.headers)
    const { id, panel } = await openPanel(platform, { gigId, chain, poster, worker, budget, before: { poster: 0n, worker: 0n } })
    await vote(platform, id, panel.slice(0, 2), 'approve')
  }
  const workIsPaid = async (gigId: string, poster: Player, worker: Player, before = 0n) => {
    await workIsApproved(gigId, poster, worker)
    await gigIs(platform, gigId, 'completed')
    const { net } = await escrowIs(platform, gigId, 'released')
    assert.equal(await platform.usdcOf(chain, worker.wallet.address), before + micro(net))
    await shows(gigId, 'released')
    await assertHealthy()
  }

  it('is not funded any more for everybody, and is funded again and paid', async () => {
    const [poster, worker] = [await platform.newPlayer({ usdc: 100, prefix: 'poster' }), await platform.newPlayer({ prefix: 'worker' })]
    const { depositAddress } = await platform.post(`/api/agents/${poster.id}/treasury/fund`, {}, poster.headers)
    await platform.faucet(depositAddress, 100, chain)
    await until('the deposit is credited', async () => (await treasuryOf(poster))[0] === 100e6)
    const { id: gigId } = await platform.post('/api/gigs', { title: 'Audit', description: 'Read it.', budget, chain }, poster.headers)
    const withdrawn = await signed(poster, 'usdc', 'approve', [platform.networks[chain].contracts.escrow, 0])
    const { escrow: first } = await lock(gigId, poster)

    await reorganise(first.onChain, [withdrawn])

    await shows(gigId, 'none')
    await until('the poster is notified', async () => (await notificationsOf(poster, gigId)).length === 2)
    assert.deepEqual(
      [await notificationsOf(poster, gigId), await treasuryOf(poster)],
      [
        ['escrow_failed', 'escrow_locked'],
        [100e6, 0],
      ],
    )
    assert.equal(await platform.usdcOf(chain, poster.wallet.address), micro(100))
    await assertHealthy()

    const { escrow: second } = await lock(gigId, poster)
    await reorganise(second.onChain, [])
    assert.deepEqual([first.fundedFrom.kind, second.fundedFrom.kind], ['allowance', 'treasury'])
    await until(
      'its lock is in a block again',
      async () => (await platform.usdcOf(chain, platform.networks[chain].contracts.escrow)) === micro(budget),
    )
    await escrowIs(platform, gigId, 'locked')
    await shows(gigId, 'locked')
    assert.deepEqual(await treasuryOf(poster), [60e6, 0])
    assert.deepEqual(await notificationsOf(poster, gigId), ['escrow_locked', 'escrow_failed', 'escrow_locked'])
    await assertHealthy()

    await hire(gigId, poster, worker)
    await workIsPaid(gigId, poster, worker)
  })

  it('goes on without the bond of its worker, who withdrew the stake in the meantime, and is paid', async () => {
    const rich = (prefix: string) => platform.newPlayer({ usdc: 100, prefix })
    const [poster, worker] = [await rich('poster'), await rich('worker')]
    const bond = async () => {
      const { availableBond, lockedBond } = await platform.get(`/api/bond/${worker.id}/status`)
      return [availableBond, lockedBond]
    }
    await platform.post(`/api/bond/${worker.id}/deposit`, { amount: 50 }, worker.headers)
    const gig = { title: 'Audit', description: 'Read it.', budget, chain, bondRequired: 20 }
    const { id: gigId } = await platform.post('/api/gigs', gig, poster.headers)
    const withdrawn = await signed(worker, 'bond', 'withdraw', [micro(50)])
    await hire(gigId, poster, worker)
    assert.deepEqual([(await gigOf(platform, gigId)).bondStatus, await bond()], ['locked', [30, 20]])
    const { events } = await platform.get(`/api/agents/${worker.id}/bond/history`)
    const locked = await platform.networks[chain].provider.getTransactionReceipt(events[0].txHash)

    await reorganise(locked!, [withdrawn])

    await until('the poster is notified', async () => (await notificationsOf(poster, gigId, 'bond_')).length === 1)
    await until('the stake is gone', async () => String(await bond()) === '0,0')
    assert.equal((await gigOf(platform, gigId)).bondStatus, 'none')
    assert.deepEqual(await notificationsOf(worker, gigId, 'bond_'), ['bond_lost', 'bond_lost', 'bond_locked'])
    assert.equal(await platform.usdcOf(chain, worker.wallet.address), micro(100))
    await assertHealthy()

    await lock(gigId, poster)
    await workIsPaid(gigId, poster, worker, micro(100))
  })

  it('is paid in another block, and the receipt names that one', async () => {
    const [poster, worker] = [await platform.newPlayer({ usdc: 100, prefix: 'poster' }), await platform.newPlayer({ prefix: 'worker' })]
    const { id: gigId } = await platform.post('/api/gigs', { title: 'Audit', description: 'Read it.', budget, chain }, poster.headers)
    await lock(gigId, poster)
    await hire(gigId, poster, worker)
    await workIsApproved(gigId, poster, worker)
    const { onChain: first, net } = await escrowIs(platform, gigId, 'released')

    await reorganise(first, [])

    const receipt = await until('the receipt names another block', async () => {
      const { status, body } = await platform.call('GET', `/api/trust-receipts/gigs/${gigId}`)
      return status === 200 && body.blockNumber !== first.blockNumber && body
    })
    const made = await platform.networks[chain].provider.getTransactionReceipt(receipt.txHash)
    const { history } = await platform.get(`/api/agents/${worker.id}/earnings`)
    assert.deepEqual([made?.blockNumber, history.map(({ txHash }: { txHash: string }) => txHash)], [receipt.blockNumber, [receipt.txHash]])
    assert.equal(await platform.usdcOf(chain, worker.wallet.address), micro(net))
    await shows(gigId, 'released')
    await assertHealthy()
  })
})
