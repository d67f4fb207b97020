import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type ChainLog, type Draft, outcomeNameOf } from '@carapace/api'
import { type Command, commandOf, commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { type Kit, startKit, wallet } from '../testing/kit.ts'

const chain = 'BASE_SEPOLIA'

describe('commands', () => {
  let kit: Kit
  /** Kinds whose calls fail in ways that tests choose. */
  const faults = new Map<string, Command>()
  before(async () => {
    kit = await startKit()
    await kit.start({ commandOf: kind => faults.get(kind) ?? commandOf(kind), timings: { retryDelaysMs: [30, 30, 30, 30, 30] } })
  })
  after(() => kit.close())
  afterEach(() => faults.clear())

  /** The token accepts no native money, and gives no reason. */
  const unreadable: Command['call'] = () => ({ to: kit.devnet.addresses.USDC, value: 1n })
  const mint = (amount = 1_000_000n, requestId: string = randomUUID()) => commands.faucetMint({ chain, requestId, to: wallet(), amount })
  const failure = (draft: Draft) => until(`failed ${draft.subject}`, () => kit.of(draft.subject, 'failed')[0])
  const confirmation = (draft: Draft) => until(`confirmed ${draft.subject}`, () => kit.of(draft.subject, 'confirmed')[0])
  const final = (draft: Draft) => until(`final ${draft.subject}`, () => kit.of(draft.subject, 'finalized')[0])

  it('are carried out once however often they are delivered', async () => {
    const draft = mint()

    await Promise.all(Array.from({ length: 10 }, () => kit.send(draft)))

    await final(draft)
    await kit.send(draft)
    await until('published again', () => kit.of(draft.subject, 'finalized').length > 1)
    assert.equal(new Set(kit.of(draft.subject).map(event => event.id)).size, 3)
    assert.equal(await kit.db.txs.countDocuments({ 'ops.opKey': draft.subject }), 1)
  })

  it('with other arguments under a known key are refused and free nothing', async () => {
    const draft = mint()
    await kit.send(draft)
    await confirmation(draft)

    await kit.send({ ...draft, data: { ...draft.data, args: { ...(draft.data.args as object), amount: '2' } } })

    const { data } = await failure(draft)
    assert.equal(data.code, 'IDEMPOTENCY_MISMATCH')
    assert.equal(data.terminal, false)
  })

  it('that are malformed are refused with the field named', async () => {
    const draft = mint()
    const broken = { ...draft, data: { ...draft.data, args: { ...(draft.data.args as object), to: '0x12' } } }
    await kit.send(broken)
    const { data } = await failure(draft)
    assert.equal(data.code, 'INVALID_COMMAND')
    assert.match(String(data.message), /^args\.to: must be 0x and 40 hex digits/)

    const id = await kit.sendRaw({ ...draft, data: { ...draft.data, round: 0 } })
    const dead = await until('dead letter', async () => (await kit.bus.deadLetters()).find(message => message.id === id))
    assert.match(dead.reason, /round: /)
  })

  it('that can never succeed fail immediately with the decoded custom error', async () => {
    const poster = wallet()
    const draft = commands.escrowLock({ chain, gigId: randomUUID(), poster, payee: poster, amount: 1_000_000n, source: { kind: 'allowance' } })

    await kit.send(draft)

    const { data } = await failure(draft)
    assert.equal(data.code, 'REVERTED')
    assert.equal((data.revert as { name: string }).name, 'Escrow_PosterIsPayee')
    assert.equal(data.terminal, true)
    assert.equal(data.attempts, 1)
    assert.equal(await kit.db.txs.countDocuments({ 'ops.opKey': draft.subject, nonce: { $ne: null } }), 0)
  })

  it('that need an effect that no command has produced fail once a reorganisation cannot restore it', async () => {
    const draft = commands.escrowSettle({ chain, gigId: randomUUID(), poster: wallet(), outcome: { kind: 'refund' } })

    await kit.send(draft)

    const { data } = await failure(draft)
    assert.equal((data.revert as { name: string }).name, 'Escrow_WrongStatus')
    assert.ok(Number(data.attempts) >= 5 && Number(data.attempts) <= 8)
    assert.equal(await kit.db.txs.countDocuments({ 'ops.opKey': draft.subject, nonce: { $ne: null } }), 0)
  })

  it('whose effect is on chain already are confirmed without a transaction', async () => {
    const to = wallet()
    const agentId = randomUUID()
    const first = commands.identityRegister({ chain, agentId, owner: to, uri: 'http://localhost/a' })
    await kit.send(first)
    await final(first)
    // Another platform database: the relayer has lost its record, the contract has not.
    await kit.db.ops.deleteOne({ _id: first.subject })
    await kit.db.txs.updateMany({ 'ops.opKey': first.subject }, { $unset: { liveOps: '' } })
    const before = kit.events.length

    await kit.send(first)

    const again = await until('confirmed again', () => kit.events.slice(before).find(event => outcomeNameOf(event.type) === 'confirmed'))
    assert.equal((again.data as { already: boolean }).already, true)
    assert.equal(await kit.db.txs.countDocuments({ liveOps: first.subject }), 0)
  })

  it('fail after five tries, once', async () => {
    const draft = mint()
    faults.set('faucet.mint', { ...(commandOf('faucet.mint') as Command), call: unreadable })

    await kit.send(draft)

    const { data } = await failure(draft)
    assert.equal(data.attempts, 5)
    await new Promise(resolve => setTimeout(resolve, 200))
    assert.equal(kit.of(draft.subject, 'failed').length, 1)
  })

  it('that failed are repeated as the next round only', async () => {
    const requestId = randomUUID()
    const draft = mint(1n, requestId)
    faults.set('faucet.mint', { ...(commandOf('faucet.mint') as Command), call: forbidden })
    await kit.send(draft)
    assert.equal((await failure(draft)).data.round, 1)
    faults.clear()

    await kit.send(draft)
    await until('published again', () => kit.of(draft.subject, 'failed').length > 1)
    await kit.send({ ...draft, data: { ...draft.data, round: 2 } })

    assert.equal((await confirmation(draft)).data.round, 2)
    await kit.send({ ...draft, data: { ...draft.data, round: 3 } })
    const refused = await until('refused', () => kit.of(draft.subject, 'failed').find(event => event.data.code === 'ROUND_REFUSED'))
    assert.equal(refused.data.terminal, false)
  })

  it('of a further round end with what an earlier round did, when its effect is found on chain after it failed', async () => {
    const fund = commands.faucetMint({ chain, requestId: randomUUID(), to: kit.devnet.addresses.SwarmValidator, amount: 10n })
    await kit.send(fund)
    await confirmation(fund)
    const reward = { chain, claimId: randomUUID(), to: wallet() } as const
    const first = commands.rewardPay({ ...reward, amount: 5n })
    await kit.send(first)
    const paid = (await final(first)).data
    // A reorganisation had dropped its block when the round ended; the block came back.
    await kit.db.ops.updateOne({ _id: first.subject }, { $set: { state: 'FAILED', error: { code: 'REVERTED', message: 'dropped' }, result: null } })
    await kit.db.txs.updateMany({ 'ops.opKey': first.subject }, { $unset: { liveOps: '' } })

    await kit.send(commands.rewardPay({ ...reward, amount: 8n, round: 2 }))

    for (const type of ['confirmed', 'finalized']) {
      const { data } = await until(`${type} again`, () => kit.of(first.subject, type).find(event => event.data.round === 2))
      const about = { round: 2, seq: data.seq, already: true }
      assert.deepEqual({ ...paid, ...about }, data)
      assert.ok(Number(data.seq) > Number(paid.seq))
      const log = (data.logs as ChainLog[]).find(({ event }) => event === 'RewardPaid')
      assert.equal(log?.args.amount, '5')
    }
    assert.equal(kit.of(first.subject, 'failed').length, 0)
    assert.equal(await kit.db.txs.countDocuments({ 'ops.opKey': first.subject, nonce: { $ne: null } }), 1)
  })

  it('that ran out of gas are repeated with twice as much', async () => {
    const draft = mint()
    faults.set('faucet.mint', { ...(commandOf('faucet.mint') as Command), gas: 48_000n, effect: undefined as never })

    await kit.send(draft)

    await confirmation(draft)
    const op = await kit.db.ops.findOne({ _id: draft.subject })
    assert.ok(Number(op?.gasFactor) >= 2)
  })

  it('of one aggregate are carried out in order', async () => {
    const wallets = Array.from({ length: 5 }, () => wallet())
    const agentId = randomUUID()
    const drafts = wallets.map((owner, version) =>
      version === 0 ? commands.cardMint({ chain, agentId, to: owner, tokenId: 77n }) : commands.cardUpdate({ chain, agentId, version, tokenId: 77n }),
    )

    await kit.send(...drafts)

    const blocks = await Promise.all(drafts.map(async draft => Number((await confirmation(draft)).data.blockNumber)))
    assert.deepEqual(
      blocks,
      [...blocks].sort((a, b) => a - b),
    )
  })

  it('are cancelled immediately while they wait, and the key of the lane is in no event or record', async () => {
    const draft = mint()
    faults.set('faucet.mint', { ...(commandOf('faucet.mint') as Command), call: unreadable })
    await kit.send(draft)
    await until('waits', async () => (await kit.db.ops.findOne({ _id: draft.subject }))?.attempts)
    await kit.db.ops.updateOne({ _id: draft.subject, state: 'QUEUED' }, { $set: { cancelRequested: true } })

    const { data } = await failure(draft)

    assert.ok(data.code === 'CANCELLED' || data.attempts === 5)
    const everything = JSON.stringify([kit.events, await kit.db.ops.find().toArray(), await kit.db.txs.find().toArray()])
    assert.ok(!everything.includes('a1'.repeat(32)))
  })
})

/** A call that only the timelock may make. */
const forbidden: Command['call'] = () => ({ contract: 'Escrow', fn: 'setTvlCap', args: [1n] })
