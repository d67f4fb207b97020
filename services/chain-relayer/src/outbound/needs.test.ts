import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chainCommand, type Draft } from '@carapace/api'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { allowEscrow } from '../testing/allow.ts'
import { dropFrom, type KitLane, wallet } from '../testing/kit.ts'
import { faultyKitPerTest } from '../testing/kit-per-test.ts'
import { endOf, lockedGig } from '../testing/locked-gig.ts'
import { newOp } from './intake.ts'
import { needsOf } from './needs.ts'

const chain = 'BASE_SEPOLIA'
const amount = 5_000_000n

describe('a command whose effect builds on another one', function () {
  this.timeout(120_000)
  const { kit, door } = faultyKitPerTest(11)
  const lead = (options: KitLane = {}) => kit.start({ rpcUrl: door.url, finality: 100, ...options })
  const end = (draft: Draft, type: 'confirmed' | 'failed') => endOf(kit, draft, type)

  it('is carried out when a reorganisation that dropped the other one is over', async () => {
    await lead()
    const { lock, settle, depth } = await lockedGig(kit, amount)
    // The lane does not see the reorganisation, the state that its call is tried on does.
    door.faults.staleBy = 0
    await kit.rpc.call('anvil_reorg', [depth, []])
    await kit.send(settle)
    const waits = await until('it waits', async () => {
      const op = await kit.db.ops.findOne({ _id: settle.subject })
      return op && Number(op.attempts) > 0 && op
    })
    assert.equal(waits.state, 'QUEUED')
    assert.equal(await kit.db.txs.countDocuments({ 'ops.opKey': settle.subject, nonce: { $ne: null } }), 0)

    door.faults.staleBy = undefined

    const { data } = await end(settle, 'confirmed')
    assert.ok((data.logs as { event: string }[]).some(log => log.event === 'EscrowRefunded'))
    assert.equal(kit.of(settle.subject, 'failed').length, 0)
    assert.ok(kit.of(lock.subject, 'reorged').length > 0)
  })

  it('fails with the reason of the other one when that can never be included again', async () => {
    await lead()
    const { poster, lock, settle, depth } = await lockedGig(kit, amount)
    door.faults.staleBy = 0
    await kit.rpc.call('anvil_reorg', [depth, []])
    // The allowance is used when the lock is sent again.
    await allowEscrow(kit, poster, 0n, 1)
    await kit.send(settle)
    await until('it waits', async () => Number((await kit.db.ops.findOne({ _id: settle.subject }))?.attempts) > 0)

    door.faults.staleBy = undefined

    const ended = await end(settle, 'failed')
    assert.equal(ended.data.code, 'REVERTED')
    assert.equal(ended.data.terminal, true)
    assert.ok(String(ended.data.message).startsWith(`${lock.subject} failed: REVERTED: `), String(ended.data.message))
    assert.equal(kit.of(lock.subject, 'failed').length, 1)
  })

  it('is carried out where the name that it mints exists until its deletion is included again', async () => {
    await lead()
    const name = { chain, domainId: randomUUID(), fullDomain: 'deleted-name.molt' } as const
    const [first, burn, again] = [
      commands.domainMint({ ...name, n: 1, owner: wallet(), texts: [], sale: null }),
      commands.domainBurn({ ...name, n: 2 }),
      commands.domainMint({ ...name, n: 3, owner: wallet(), texts: [], sale: null }),
    ]
    await kit.send(first)
    await end(first, 'confirmed')
    await kit.send(burn)
    const { data } = await end(burn, 'confirmed')
    // The lane does not see the reorganisation, the state that its call is tried on does.
    door.faults.staleBy = 0
    await dropFrom(kit.rpc, Number(data.blockNumber))
    await kit.send(again)
    await until('it waits', async () => Number((await kit.db.ops.findOne({ _id: again.subject }))?.attempts) > 0)

    door.faults.staleBy = undefined

    await end(again, 'confirmed')
    assert.equal(kit.of(again.subject, 'failed').length, 0)
  })

  it('fails immediately where the name that it mints has an owner', async () => {
    await lead()
    const name = { chain, fullDomain: 'taken-name.molt', owner: wallet(), sale: null, n: 1 } as const
    const registration = () => commands.domainMint({ ...name, domainId: randomUUID(), texts: [] })
    const [first, second] = [registration(), registration()]
    await kit.send(first)
    await end(first, 'confirmed')

    await kit.send(second)

    const { data } = await end(second, 'failed')
    assert.deepEqual([data.code, data.attempts], ['REVERTED', 1])
  })

  it('needs nothing that is known where a former release stored its arguments in another form', async () => {
    const lane = (await lead()).current()!
    const { data } = commands.escrowSettle({ chain, gigId: randomUUID(), poster: wallet(), outcome: { kind: 'refund' } })
    const op = newOp(chainCommand.parse(data), lane.id, 2, 1, null)
    const { gigId: _, ...args } = op.args
    const lock = { ...newOp(chainCommand.parse(data), lane.id, 1, 1, null), _id: `escrow.lock:${randomUUID()}`, kind: 'escrow.lock' }
    await kit.db.ops.insertOne(lock)

    assert.deepEqual(await needsOf(lane, op), { is: 'open' })
    assert.deepEqual(await needsOf(lane, { ...op, args }), { is: 'over' })
  })

  it('holds no nonce while it waits, and delays only its own aggregate', async () => {
    const lane = await lead({ timings: { retryDelaysMs: [600, 600, 600, 600, 600] } })
    const gig = { chain, gigId: randomUUID(), poster: wallet() } as const
    const settle = commands.escrowSettle({ ...gig, outcome: { kind: 'refund' } })
    const dispute = commands.escrowDispute(gig)
    const other = commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount })
    await kit.send(settle)
    await until('it waits', async () => Number((await kit.db.ops.findOne({ _id: settle.subject }))?.attempts) > 0)

    await kit.send(dispute, other)
    await end(other, 'confirmed')

    assert.equal((await kit.db.ops.findOne({ _id: settle.subject }))?.state, 'QUEUED')
    assert.equal((await kit.db.ops.findOne({ _id: dispute.subject }))?.attempts, 0)
    const { slots } = lane.current()!
    assert.equal(slots.openCount, 0)
    assert.equal(slots.nextNonce, Number(await kit.rpc.call('eth_getTransactionCount', [lane.current()!.signer.address, 'latest'])))
  })
})
